// What QuantizeLinear and DequantizeLinear share: a scale and a zero point for all of x, or one for each place of an
// axis.
#pragma once

#include "engine/node/shapes.h"

namespace hw::shapes {

inline std::vector<DType> quantised_dtypes() {
  return {DType::i8, DType::u8, DType::i32};
}

/// `scale`, and `zero_point` where it is wired, are scalars, [1], or as long as axis `axis` of x. Errors at the socket,
/// HW-P001 at `axis`.
inline Status scale_fits(const ShapeArgs& a) {
  for (const char* socket : {"scale", "zero_point"}) {
    if (!a.in(socket)) continue;
    const Shape& scale = a.shape(socket);
    if (scale.rank() == 0 || (scale.rank() == 1 && scale[0].size == 1)) continue;
    HW_TRY(const size_t axis, axis_of(a, "x"));
    const Axis& along = a.shape("x")[axis];
    if (scale.rank() == 1 && (!scale[0].known() || !along.known() || scale[0].size == along.size)) continue;
    return Error{codes::size_mismatch, socket,
                 "must be one number, or one for each place of axis " + std::to_string(axis) + " of x: x is " +
                     to_string(a.shape("x")) + ", this is " + to_string(scale) + ".",
                 ""};
  }
  return ok();
}

/// `scale`, stretched along axis `axis` against x.
inline Val along_axis(OpBuilder& b, Val scale, const Dims& x, int64_t axis) {
  if (!b.status()) return {};
  const int64_t count = element_count(b[scale].dims);
  if (count == 1) return b.reshape(scale, {});
  Dims dims(x.size(), 1);
  dims[static_cast<size_t>(wrap_axis(axis, x.size()))] = count;
  return b.reshape(scale, std::move(dims));
}

}  // namespace hw::shapes
