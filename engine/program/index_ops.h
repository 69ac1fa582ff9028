// Picking elements by whole numbers along an axis, built from ops.
#pragma once

#include "engine/program/builder.h"

namespace hw::index_ops {

/// first, first + 1, .. first + count − 1 along axis `axis` of `rank` axes, the others of size 1. Exact in i64 and f64,
/// in f32 up to 2^24.
Val counted(OpBuilder& b, DType dtype, int64_t count, int rank = 1, int axis = 0);
/// `index`, any whole numbers, as i64, with `size` added where it is negative: counted from the end. Exact below 2^53.
Val from_the_end(OpBuilder& b, Val index, int64_t size);
/// Fails with HW-S002 at the node's input `socket` where `index` is known to reach beyond `size` entries. `what` they
/// are, in the plural: "rows of the table".
void refuse_beyond(OpBuilder& b, Val index, int64_t size, const char* socket, const char* what);
/// Row index[..] of `x` along `axis`: sizes of x before it, of the index, of x behind it. Where an index lies outside:
/// NaN of a float, 0 of other dtypes, which are exact below 2^53.
Val taken(OpBuilder& b, Val x, Val index, int axis);
/// Element index[i, .., j] along `axis` for each element of `index`, which has the rank of x and its sizes, but along
/// the axis any. Outside as taken().
Val taken_along(OpBuilder& b, Val x, Val index, int axis);

/// The `k` largest elements along `axis`, the largest first, of equals the first first, and their places, i64. The
/// gradient of a value goes to its element. Looked for one after the other: the time grows with k.
struct Top {
  Val values, places;
};
Top top_k(OpBuilder& b, Val x, int axis, int64_t k, bool smallest = false);

/// Where the largest element along `axis` is, i64, the first of equals, without that axis; and whether it is a number,
/// f32: 1, or 0 where one of the elements is NaN, when `place` is that one and says nothing of the others.
struct Largest {
  Val place, is_number;
};
Largest largest(OpBuilder& b, Val x, int axis);

}  // namespace hw::index_ops
