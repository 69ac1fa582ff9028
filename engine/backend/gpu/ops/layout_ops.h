// Ops that move elements without computing. Bytes are copied as they are.
#pragma once

#include "engine/backend/gpu/ops/map.h"

namespace hw::gpu {

/// Element to(i) of y is element from(i) of x; `bytes` of one element: 1, 2, 4 or 8.
struct StridedCopy {
  size_t bytes;
  const void* x;
  void* y;
  kernels::StridedIndex from, to;
  HW_BODY void operator()(int64_t i) const {
    const int64_t a = from(i), b = to(i);
    switch (bytes) {
      case 8:
        static_cast<uint64_t*>(y)[b] = static_cast<const uint64_t*>(x)[a];
        break;
      case 4:
        static_cast<uint32_t*>(y)[b] = static_cast<const uint32_t*>(x)[a];
        break;
      case 2:
        static_cast<uint16_t*>(y)[b] = static_cast<const uint16_t*>(x)[a];
        break;
      default:
        static_cast<uint8_t*>(y)[b] = static_cast<const uint8_t*>(x)[a];
        break;
    }
  }

  HW_KERNEL(StridedCopy, bytes, from.axes, to.axes)
};

struct Fill {
  double value;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, value); }

  HW_KERNEL(Fill, y.dtype)
};

/// [outer, axis, inner] of a tensor, from `begin` on along the axis, `count` long.
inline std::vector<StridedAxis> slab(const Dims& dims, int axis, int64_t count) {
  const auto d = dims.begin() + axis;
  const int64_t inner = element_count({d + 1, dims.end()});
  return {{element_count({dims.begin(), d}), *d * inner}, {count * inner, 1}};
}
inline int64_t inner_of(const Dims& dims, int axis) {
  return element_count({dims.begin() + axis + 1, dims.end()});
}

template <class Launcher>
void strided_copy(OpContext& c, int64_t n, const void* x, const kernels::StridedIndex& from,
                  const kernels::StridedIndex& to) {
  map<Launcher>(c, n, StridedCopy{size_of(c.out().dtype), x, c.write().data, from, to});
}

template <class Launcher>
void plan_rearrange(OpContext& c) {
  const kernels::Target y = c.write();
  const int64_t size = c.out_size();
  const size_t bytes = byte_count(c.out().dtype, size);
  const kernels::StridedIndex whole = strided_index(c, {{size, 1}});
  switch (c.op()) {
    case Op::reshape:
      return c.copy(y.data, c.read(0).data, bytes);
    case Op::broadcast_to:
      return strided_copy<Launcher>(c, size, c.read(0).data, broadcast(c, 0), whole);
    case Op::transpose: {
      const std::vector<int64_t> strides = strides_of(c.in(0).dims);
      std::vector<StridedAxis> axes;
      for (const int d : c.attr<PermuteAttr>().order)
        axes.push_back({c.in(0).dims[static_cast<size_t>(d)], strides[static_cast<size_t>(d)]});
      return strided_copy<Launcher>(c, size, c.read(0).data, strided_index(c, axes), whole);
    }
    default:
      break;
  }
  const AxisAttr& a = c.attr<AxisAttr>();
  const int64_t inner = inner_of(c.out().dims, a.axis);
  if (c.op() == Op::slice) {
    const auto from = strided_index(c, slab(c.in(0).dims, a.axis, a.end - a.begin), a.begin * inner);
    return strided_copy<Launcher>(c, size, c.read(0).data, from, whole);
  }
  if (c.op() == Op::pad) {
    if (a.fill == 0)
      c.clear(y.data, bytes);
    else
      map<Launcher>(c, size, Fill{a.fill, y});
  }
  int64_t at = c.op() == Op::pad ? a.begin : 0;
  for (size_t k = 0; k < c.inputs(); ++k) {
    const int64_t count = c.in(k).dims[static_cast<size_t>(a.axis)];
    const auto to = strided_index(c, slab(c.out().dims, a.axis, count), at * inner);
    strided_copy<Launcher>(c, c.in_size(k), c.read(k).data, strided_index(c, {{c.in_size(k), 1}}), to);
    at += count;
  }
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_LAYOUT_OPS_PLANNERS(Launcher) template void plan_rearrange<Launcher>(OpContext&);
