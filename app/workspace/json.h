// Diagnostics, errors, kernels and a first bad value as JSON: what reports of runs and of commands have of them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/graph/check/diagnostic.h"
#include "engine/instrument/node_kernels.h"
#include "engine/train/bad_value.h"

namespace hw::workspace {

/// {code, severity, node, socket, reason, expected, got, remedies, link}; a link only where it is about one.
nlohmann::ordered_json to_json(const Diagnostic& diagnostic);
/// {code, where, reason, remedy}.
nlohmann::ordered_json to_json(const Error& error);
/// {forward, backward, layers}, each kernel {storage, compute, accumulate, implementation}; no backward where no
/// gradient passes, layers by parameter where there are several.
nlohmann::ordered_json to_json(const NodeKernels& kernels);
nlohmann::ordered_json to_json(const BadValue& bad);

/// JSON has no Inf and NaN: those become text.
nlohmann::ordered_json number_json(double value);

}  // namespace hw::workspace
