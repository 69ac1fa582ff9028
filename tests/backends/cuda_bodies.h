// The shared scalar bodies run on the GPU over arrays, for comparison with the same bodies on the host.
#pragma once

#include <vector>

#include "engine/core/result.h"
#include "engine/kernels/hash_grid.h"
#include "engine/kernels/optimisers.h"
#include "engine/kernels/triplane.h"
#include "engine/program/program.h"

namespace hw::test {

/// launch_elementwise on copies of `a` and `b` (empty for one input).
template <class T>
Result<std::vector<T>> on_gpu(Op op, const Attr& attr, const std::vector<T>& a, const std::vector<T>& b);

/// The corners of one hash-grid cell: entries and weights.
struct Corners {
  uint32_t entry[8];
  float weight[8];
};
HW_HD inline Corners corners_of(const float* x, const HashGridLevel& level, bool smoothstep) {
  Corners c{};
  const kernels::HashCell<3, float> cell = kernels::hash_cell<3, float>(x, level.scale, smoothstep);
  for (int k = 0; k < 8; ++k) {
    c.entry[k] = kernels::hash_entry(cell, k, level);
    c.weight[k] = kernels::hash_weight(cell, k);
  }
  return c;
}
/// points: x y z of each.
Result<std::vector<Corners>> corners_on_gpu(const std::vector<float>& points, const HashGridLevel& level,
                                            bool smoothstep);

/// Where coordinates fall on an axis of a plane.
Result<std::vector<kernels::PlaneTap<float>>> plane_taps_on_gpu(const std::vector<float>& x, int64_t size);

/// Philox blocks 0 … n − 1 of one stream and step.
Result<std::vector<uint32_t>> philox_on_gpu(uint64_t seed, uint32_t stream, uint64_t step, int64_t n);

/// launch_dropout of x, and launch_random of n numbers in T.
template <class T>
Result<std::vector<T>> dropout_on_gpu(const DropoutAttr& attr, const Draw& draw, const std::vector<T>& x);
template <class T>
Result<std::vector<T>> random_on_gpu(const RandomAttr& attr, const Draw& draw, size_t n);

/// One step of Adam in place on master, m, v.
Status adam_on_gpu(const kernels::AdamStep<float>& step, const std::vector<float>& grad, std::vector<float>& master,
                   std::vector<float>& m, std::vector<float>& v);

}  // namespace hw::test
