// Strides of tensors, and the launch shape of a kernel.
#pragma once

#include <vector>

#include "engine/core/shape.h"
#include "engine/kernels/strided_index.h"

namespace hw::gpu {

struct StridedAxis {
  int64_t size, stride;
};

/// Neighbours become one axis where they can. Error HW-R002: more than kernels::kMaxAxes are left.
Result<kernels::StridedIndex> make_strided_index(const std::vector<StridedAxis>& axes, int64_t offset = 0);

/// Row-major strides, in elements.
std::vector<int64_t> strides_of(const Dims& dims);
/// Where elements of `out` lie in a tensor of `in` dims that is stretched to it as NumPy does.
std::vector<StridedAxis> broadcast_axes(const Dims& in, const Dims& out);

/// Blocks of threads for n items: each thread takes every (blocks · threads)th. No result depends on it.
struct LaunchShape {
  unsigned blocks, threads;
};
LaunchShape launch_shape(int64_t n);

}  // namespace hw::gpu
