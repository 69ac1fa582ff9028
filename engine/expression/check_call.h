// Types of operators, functions and constructors whose arguments are checked.
#pragma once

#include "engine/expression/function.h"
#include "engine/expression/syntax.h"

namespace hw::expression {

/// Sets the type of a unary or binary operator, or of "?". Error HW-X003.
Status check_operator(Expr& e);
/// Sets the type of a call. `names`: variables, to recognise a product without its sign. Errors HW-X002, HW-X003.
Status check_call(Expr& e, const std::vector<std::string>& names);

}  // namespace hw::expression
