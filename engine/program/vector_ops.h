// Vectors and matrices of 2 to 4 components over batches, built from ops. A vector is the last axis of its tensor, a
// matrix the last two (row, column); the axes before them are the batch's and broadcast.
#pragma once

#include "engine/program/builder.h"

namespace hw::vector_ops {

/// x with `axes` axes of size 1 behind its batch, so that it stretches over vectors (1) or matrices (2). A scalar
/// without batch stretches as it is.
Val with_axes(OpBuilder& b, Val x, int axes);
/// Component `index` of the last axis, which goes away.
Val component(OpBuilder& b, Val v, int index);
/// Scalars over batches that broadcast, side by side along a new last axis.
Val combined(OpBuilder& b, std::span<const Val> scalars);
/// The components `order` of the last axis, in that order, each any number of times.
Val swizzled(OpBuilder& b, Val v, const std::vector<int>& order);
/// Σ a · b over the last axis, which goes away; the sum in f32 (f64).
Val dot(OpBuilder& b, Val x, Val y);
/// The cross product of vectors of 3 components.
Val cross(OpBuilder& b, Val x, Val y);
/// √Σ v², computed in f32 (f64), in v's dtype. At the zero vector 0, with gradient 0.
Val length(OpBuilder& b, Val v);
/// v / length(v), computed in f32 (f64), in v's dtype. The zero vector stays as it is; there the gradient passes
/// unchanged.
Val normalized(OpBuilder& b, Val v);
/// Rows and columns swapped.
Val transposed(OpBuilder& b, Val m);
/// m [.., R, C] · v [.., C] → [.., R]; sums in f32 (f64).
Val matrix_vector(OpBuilder& b, Val m, Val v);
/// x [.., R, K] · y [.., K, C] → [.., R, C]; sums in f32 (f64).
Val matrix_matrix(OpBuilder& b, Val x, Val y);

}  // namespace hw::vector_ops
