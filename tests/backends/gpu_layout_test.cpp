// Strides, launch shapes and how sums are cut: pure arithmetic of the cuda device.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/backend/gpu/layout.h"
#include "engine/backend/gpu/ops/sums.h"

namespace hw::test {
namespace {

TEST(GpuLayout, merges_axes_and_finds_every_element) {
  const kernels::StridedIndex whole = *gpu::make_strided_index(gpu::broadcast_axes({4, 5, 6}, {4, 5, 6}));
  EXPECT_EQ(whole.axes, 1);
  for (int64_t i = 0; i < 120; ++i) EXPECT_EQ(whole(i), i);
  const kernels::StridedIndex row = *gpu::make_strided_index(gpu::broadcast_axes({6}, {4, 5, 6}));
  EXPECT_EQ(row.axes, 2);
  for (int64_t i = 0; i < 120; ++i) EXPECT_EQ(row(i), i % 6);
  const kernels::StridedIndex column = *gpu::make_strided_index(gpu::broadcast_axes({5, 1}, {4, 5, 6}));
  for (int64_t i = 0; i < 120; ++i) EXPECT_EQ(column(i), i / 6 % 5);
  const kernels::StridedIndex scalar = *gpu::make_strided_index(gpu::broadcast_axes({}, {4, 5}));
  for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(scalar(i), 0);
  const kernels::StridedIndex slab = *gpu::make_strided_index({{3, 10}, {4, 1}}, 2);
  EXPECT_EQ(slab(0), 2);
  EXPECT_EQ(slab(5), 13);
}

TEST(GpuLayout, refuses_more_axes_than_kernels_take) {
  std::vector<gpu::StridedAxis> axes(9, {2, 0});
  for (size_t d = 0; d < axes.size(); ++d) axes[d].stride = d % 2 == 0 ? int64_t{1} << d : 0;
  const auto made = gpu::make_strided_index(axes);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "HW-R002");
}

TEST(GpuLayout, launches_cover_every_item_within_the_limits_of_a_grid) {
  for (int64_t n : {int64_t{1}, int64_t{255}, int64_t{256}, int64_t{257}, int64_t{1} << 20, int64_t{1} << 40}) {
    const gpu::LaunchShape s = gpu::launch_shape(n);
    EXPECT_GE(s.blocks, 1u);
    EXPECT_LE(s.blocks, 65535u);
    EXPECT_LE(s.threads, 1024u);
    const int64_t threads = int64_t{s.blocks} * s.threads;
    EXPECT_TRUE(threads >= n || s.blocks == 65535u);
    EXPECT_LT(threads - s.threads, n);  // no block without an item
  }
}

TEST(GpuSums, are_cut_by_their_length_alone_and_within_bounds) {
  EXPECT_EQ(gpu::sum_parts(1, 0), 1);
  EXPECT_EQ(gpu::sum_parts(1, 256), 1);
  EXPECT_EQ(gpu::sum_parts(1, 257), 2);
  EXPECT_EQ(gpu::sum_parts(1, int64_t{1} << 40), 1024);
  EXPECT_EQ(gpu::sum_parts(int64_t{1} << 30, int64_t{1} << 20), 1);
}

}  // namespace
}  // namespace hw::test
