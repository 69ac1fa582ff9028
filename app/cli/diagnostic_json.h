// Diagnostics and errors as JSON, for commands with --json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/graph/check/diagnostic.h"

namespace hw::cli {

/// {code, severity, node, socket, reason, expected, got, remedies, link}; a link only where it is about one.
nlohmann::ordered_json to_json(const Diagnostic& diagnostic);
/// {code, where, reason, remedy}.
nlohmann::ordered_json to_json(const Error& error);

}  // namespace hw::cli
