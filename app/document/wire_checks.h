// The errors that a wire between shown nodes would cause: the checks of engine/graph, for sockets of groups, too.
#pragma once

#include <optional>
#include <string>

#include "app/document/document.h"
#include "engine/graph/check/candidate.h"

namespace hw::app {

// Nodes are those of the shown graph, by id. GUI thread.

/// hw::check_link.
std::optional<Diagnostic> check_link(const Document& document, const Link& link);
/// hw::fitting_socket.
std::optional<std::string> fitting_socket(const Document& document, const std::string& node, const std::string& socket,
                                          bool is_output, const Candidate& candidate);
/// hw::fitting_by_cast.
std::optional<FitByCast> fitting_by_cast(const Document& document, const std::string& node, const std::string& socket,
                                         bool is_output, const Candidate& candidate);

}  // namespace hw::app
