// Expressions with a formula of their own for what they compute.
#pragma once

#include <span>
#include <vector>

#include "engine/expression/type.h"

namespace hw::test {

inline const expression::Type kFloat{}, kVec2 = expression::Type::vector(2), kVec3 = expression::Type::vector(3),
                                        kVec4 = expression::Type::vector(4), kMat2 = expression::Type::matrix(2),
                                        kMat3 = expression::Type::matrix(3), kMat4 = expression::Type::matrix(4);

using Vec = std::vector<double>;
/// What the outputs are for one sample, one after the other, of the inputs' components.
using Formula = Vec (*)(const std::vector<Vec>& in);

struct ExpressionCase {
  struct Input {
    expression::Type type = {};
    double lo = -1, hi = 1;
    bool batched = true;
  };
  const char* name;
  const char* source;
  std::vector<Input> inputs;
  Formula formula;
};

/// Components written one by one, written twice, copied, overwritten in place, read more than once.
std::span<const ExpressionCase> component_cases();
/// Loops, choices, functions, vectors, matrices, quaternions.
std::span<const ExpressionCase> function_cases();

}  // namespace hw::test
