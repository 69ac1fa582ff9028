#include "app/document/wire_checks.h"

#include "engine/graph/groups/flatten.h"

namespace hw::app {
namespace {

struct FlatSocket {
  std::string node, socket;
};

/// Where the flat graph has a socket of a node that is shown.
FlatSocket flat_socket(const Document& document, const std::string& node, const std::string& socket, bool is_output) {
  const Scope& scope = document.shown().scope();
  if (is_output) {
    const Link from = flat_link(scope, {node, socket, "", ""});
    return {from.from, from.from_socket};
  }
  const Link to = flat_link(scope, {"", "", node, socket});
  return {to.to, to.to_socket};
}

}  // namespace

std::optional<Diagnostic> check_link(const Document& document, const Link& link) {
  return hw::check_link(document.flat(), document.validator(), flat_link(document.shown().scope(), link));
}

std::optional<std::string> fitting_socket(const Document& document, const std::string& node, const std::string& socket,
                                          bool is_output, const Candidate& candidate) {
  const FlatSocket at = flat_socket(document, node, socket, is_output);
  return hw::fitting_socket(document.flat(), document.validator(), at.node, at.socket, is_output, candidate);
}

std::optional<FitByCast> fitting_by_cast(const Document& document, const std::string& node, const std::string& socket,
                                         bool is_output, const Candidate& candidate) {
  const FlatSocket at = flat_socket(document, node, socket, is_output);
  return hw::fitting_by_cast(document.flat(), document.validator(), at.node, at.socket, is_output, candidate);
}

}  // namespace hw::app
