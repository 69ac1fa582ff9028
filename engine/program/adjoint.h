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

}  // namespace hw
