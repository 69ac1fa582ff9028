// Diagnostic: what is wrong in a graph, where, and which edits would mend it.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

enum class Severity : uint8_t { error, warning, info };
/// "error", "warning", "info".
std::string_view name(Severity severity);

/// One button: a label and the undoable edits behind it. What takes the whole graph into account is worked out when it
/// is asked for: use remedy_edits.
struct Remedy {
  enum class Kind : uint8_t { other, insert_cast, cast_weight, set_dtype, unify, negotiate };
  std::string label;  // "Insert Cast f16 → f32"
  Edits edits;        // none: only the user can do it; unify, negotiate: what comes before
  Kind kind = Kind::other;
  DType dtype = DType::f32;  // unify: to which
};

struct Diagnostic {
  std::string code;  // codes.h
  Severity severity = Severity::error;
  std::string node;          // id; empty: the graph
  std::string socket;        // input socket or parameter id; may be empty
  std::optional<Link> link;  // the wire at fault
  std::string reason;        // for the user: what and why
  std::string expected, got;
  std::vector<Remedy> remedies;

  /// Remedies follow from the rest.
  bool operator==(const Diagnostic& o) const {
    return std::tie(code, severity, node, socket, link, reason, expected, got) ==
           std::tie(o.code, o.severity, o.node, o.socket, o.link, o.reason, o.expected, o.got);
  }
};

/// Adds "Unify the graph to DTYPE" and "Negotiate"; `before`: edits that come first.
void add_graph_remedies(Diagnostic& diagnostic, const Edits& before, DType dtype);

/// "HW-D001 at mlp.x: reason (expected …, got …)".
std::string to_string(const Diagnostic& d);

}  // namespace hw
