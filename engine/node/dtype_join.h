// Which dtype holds the values of two without loss, and what a cast loses. Facts come from the dtype table.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/core/dtype.h"

namespace hw {

/// The smallest of `allowed` that holds both floats; of equals the one that is a or b, then the first. Empty `allowed`:
/// the floats that are stored and run. Nothing: none holds both.
std::optional<DType> join(DType a, DType b, std::span<const DType> allowed = {});

/// What a cast does to values: "exact", or "rounds" with what is lost: "rounds to 7 bits", "… , range 2^-24 to 65504".
std::string cast_effect(DType from, DType to);

}  // namespace hw
