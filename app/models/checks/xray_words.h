// What an X-ray found of one value, in words: for the table and the heat map.
#pragma once

#include <QString>

#include "engine/precision/xray.h"

namespace hw::app {

/// "y" of "mlp.y", "grad(y)" of "grad(mlp.y)"; an op's value inside its node has no name: "(matmul)".
QString value_name(const XrayItem& item);
/// "6.1e-4"; "Inf, NaN" where one side is not finite.
QString error_text(const RoundingError& error);
/// "9.3 of 11".
QString bits_text(const XrayItem& item);
/// An Inf or NaN on one side, made here or handed on.
bool has_bad(const XrayItem& item);

}  // namespace hw::app
