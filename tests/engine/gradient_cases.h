// A way to use each op through which a gradient passes, for checks of its adjoint.
#pragma once

#include <functional>
#include <vector>

#include "engine/program/builder.h"

namespace hw::test {

using Vals = std::vector<Val>;

/// Uniform numbers.
struct Operand {
  Dims dims;
  double lo = -1, hi = 1;
};

struct GradientCase {
  Op op;
  const char* what;
  std::vector<Operand> operands;
  std::function<Val(OpBuilder&, const Vals&)> body;
  double factor = 1;  // the gradient the adjoint must give, over the true one
};

/// At least one for each op that has an adjoint, in f64.
std::vector<GradientCase> gradient_cases();

}  // namespace hw::test
