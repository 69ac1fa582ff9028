// The way in: a source as it was typed.
#pragma once

#include "engine/expression/check.h"

namespace hw::expression {

/// Parses and checks. Errors: those of parse() and check().
Result<Checked> compile(std::string_view source);

struct Socket {
  std::string name;
  Type type;
};
struct Sockets {
  std::vector<Socket> inputs, outputs;
};
/// What goes in and out of a checked source.
Sockets sockets_of(const Checked& source);
/// The probable sockets of a source that does not compile: names that are assigned go out, others come in. So a typing
/// error does not remove wires.
Sockets guessed_sockets(std::string_view source);

}  // namespace hw::expression
