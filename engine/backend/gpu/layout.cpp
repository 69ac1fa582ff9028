#include "engine/backend/gpu/layout.h"

#include <algorithm>

#include "engine/core/codes.h"

namespace hw::gpu {

Result<kernels::StridedIndex> make_strided_index(const std::vector<StridedAxis>& axes, int64_t offset) {
  std::vector<StridedAxis> merged;
  for (const StridedAxis& axis : axes) {
    if (axis.size == 1) continue;
    if (!merged.empty() && merged.back().stride == axis.stride * axis.size)
      merged.back() = {merged.back().size * axis.size, axis.stride};
    else
      merged.push_back(axis);
  }
  if (merged.size() > static_cast<size_t>(kernels::kMaxAxes))
    return Error{codes::unsupported, "", "The tensor has more axes than a kernel takes.", "Merge axes with Reshape."};
  kernels::StridedIndex s;
  s.offset = offset;
  for (const StridedAxis& axis : merged) {
    s.size[s.axes] = axis.size;
    s.stride[s.axes++] = axis.stride;
  }
  return s;
}

std::vector<int64_t> strides_of(const Dims& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

std::vector<StridedAxis> broadcast_axes(const Dims& in, const Dims& out) {
  const std::vector<int64_t> strides = strides_of(in);
  const size_t lead = out.size() - in.size();
  std::vector<StridedAxis> axes;
  for (size_t d = 0; d < out.size(); ++d)
    axes.push_back({out[d], d < lead || in[d - lead] == 1 ? 0 : strides[d - lead]});
  return axes;
}

LaunchShape launch_shape(int64_t n) {
  constexpr int64_t kThreads = 256, kMostBlocks = 65535;
  const int64_t blocks = std::clamp<int64_t>((n + kThreads - 1) / kThreads, 1, kMostBlocks);
  return {static_cast<unsigned>(blocks), static_cast<unsigned>(kThreads)};
}

}  // namespace hw::gpu
