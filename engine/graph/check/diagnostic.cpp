#include "engine/graph/check/diagnostic.h"

namespace hw {

void add_graph_remedies(Diagnostic& diagnostic, const Edits& before, DType dtype) {
  diagnostic.remedies.push_back({"Unify the graph to " + std::string(name(dtype)), before, Remedy::Kind::unify, dtype});
  diagnostic.remedies.push_back({"Negotiate: cast with the least loss", before, Remedy::Kind::negotiate});
}

std::string_view name(Severity severity) {
  constexpr std::string_view names[] = {"error", "warning", "info"};
  return names[static_cast<size_t>(severity)];
}

std::string to_string(const Diagnostic& d) {
  std::string text = d.code;
  if (!d.node.empty()) text += " at " + d.node + (d.socket.empty() ? "" : "." + d.socket);
  text += ": " + d.reason;
  if (!d.expected.empty()) text += " Expected " + d.expected + (d.got.empty() ? "." : ", got " + d.got + ".");
  const bool said = d.reason.ends_with("got " + d.got + ".");
  if (d.expected.empty() && !d.got.empty() && !said) text += " Got " + d.got + ".";
  return text;
}

}  // namespace hw
