// The bias of a product: a third input of matmul, conv2d and conv2d_grad_input, added in the product's own sum (f32,
// of f64 f64), so that the result is rounded once to the output's dtype.
#pragma once

#include "engine/program/builder.h"

namespace hw {

/// Whether the op may have a bias: one number for each column of matmul's output, for each channel of a convolution's.
/// It has the dtype of the other inputs and is not rounded to `compute`.
bool takes_bias(Op op);
inline bool has_bias(const Instr& instr) {
  return takes_bias(instr.op) && instr.in.size() == 3;
}

/// Whether the op has so many inputs.
inline bool fits_inputs(Op op, size_t count) {
  const int inputs = info(op).inputs;
  return inputs < 0 || static_cast<size_t>(inputs) == count || (takes_bias(op) && count == 3);
}

/// The product `op` of x and weight, with a bias where there is one.
inline Val product_with_bias(OpBuilder& b, Op op, Val x, Val weight, Val bias, Attr attr) {
  std::vector<Val> in{x, weight};
  if (bias) in.push_back(bias);
  return b.emit(op, std::move(in), std::move(attr))[0];
}

}  // namespace hw
