// The parsed form of an expression source: a list of statements, loops unrolled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/expression/place.h"
#include "engine/expression/type.h"

namespace hw::expression {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Kind : uint8_t {
    number,      // `number`; also true and false, of type bool
    name,        // `text`
    unary,       // `text`: - or !
    binary,      // `text`: + - * / == != < <= > >= && ||
    choose,      // args: condition, then, else
    call,        // `text`: a function or a type's name; of a ^ b it is pow
    components,  // `text`: "xyz"; args: what they are taken of
    index,       // args: of what, which
  } kind = Kind::number;
  Place place;  // where an operator, a name, a bracket stands
  std::string text = {};
  double number = 0;
  std::vector<ExprPtr> args = {};
  int depth = 1;

  // What the check finds out.
  Type type = {};
  int variable = -1;             // name: which of Checked::variables
  std::vector<int> picked = {};  // components, index: which components of args[0], row by row
};

struct Statement {
  enum class Kind : uint8_t { input, output, local, assign } kind = Kind::assign;
  Place place;
  std::string name = {};            // what is declared
  std::optional<Type> type = {};    // declared with a type
  ExprPtr target = {}, value = {};  // assign: name, name.xy, name[1], ..; local: value, or null
};

/// The value of an expression of numbers alone, with + - * / ^ and functions of numbers; nothing: it is none.
std::optional<double> constant(const Expr& e);

/// Limits, so that no source costs much: characters, expressions after unrolling, their nesting.
inline constexpr size_t kMaxSource = 16384, kMaxExprs = 20000;
inline constexpr int kMaxDepth = 100;

/// Errors: HW-X001, HW-X002 (an unknown type), HW-X005; see place.h.
Result<std::vector<Statement>> parse(std::string_view source);

}  // namespace hw::expression
