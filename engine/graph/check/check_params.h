// What is wrong with the parameters of one node as they stand in the document, from its declaration alone.
#pragma once

#include "engine/graph/check/diagnostic.h"

namespace hw {

/// Errors, each on its parameter: HW-P001: a value that it cannot have; HW-P002: there is no such parameter. Remedies:
/// the nearest name, the default, without it. And the diagnostics of check_fields.
std::vector<Diagnostic> check_params(const Node& node, const NodeDecl& decl);

/// How many names a message gives.
inline constexpr size_t kMostNamed = 3;

/// " Nearest: a, b."; "" where there are none.
std::string nearest_text(const std::vector<std::string>& names);

}  // namespace hw
