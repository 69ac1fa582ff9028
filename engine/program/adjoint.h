// Reverse mode: appends the ops that compute gradients of a scalar.
#pragma once

#include <unordered_map>

#include "engine/program/builder.h"

namespace hw {

/// The gradients of one scalar.
struct Gradients {
  /// Gradient of each value on the way from a parameter or requested value to the loss, in the value's own dtype
  /// (parameters: in the master's dtype; values of one element, such as the loss: in f32 at least), as the backward
  /// pass stores it: times gradient_scale factors on its path.
  std::unordered_map<ValueId, Val> of;
  /// touched masks (u8) beside parameter gradients that are sparse.
  std::unordered_map<ValueId, Val> touched;
  /// What each gradient in `of` must be multiplied by to undo gradient scales: 1 where there are none.
  std::unordered_map<ValueId, double> unscale;
};

/// Appends the backward pass of `loss` (one element) to the builder's program, for all trainable parameters that reach
/// it (keyed by Param::view) and for the values in `wanted`. A path without gradient yields no entry. `scale`: a scalar
/// that multiplies every gradient (loss scaling); none: 1.
Result<Gradients> build_adjoint(OpBuilder& b, Val loss, std::span<const Val> wanted = {}, Val scale = {});

/// The gradient of the sum of `y` by `x` as a value, in x's sizes and dtype, with gradient scales divided out that say
/// so. Its ops belong to the builder's node and to the forward pass: a loss can be made of it, and the adjoint of that
/// loss passes through them. It walks back from y to x, so all that y is made of must be in the program. Zeros where y
/// is made of x but its derivative is 0 except at kinks. Errors, kept by the builder: HW-D001: one of the two is no
/// float; HW-G011: no gradient can reach x from y; HW-R002: an op in between has none.
Val gradient_of(OpBuilder& b, Val y, Val x);

/// For adjoint rules: the gradients of Σ seed · y by `inputs`, through the instructions from `first` on alone, as
/// gradient_of appends them. No value: no gradient reaches that input.
std::vector<Val> gradients_since(OpBuilder& b, size_t first, Val y, Val seed, std::span<const Val> inputs);

}  // namespace hw
