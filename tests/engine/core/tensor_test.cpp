// Tensors: alignment, sharing, copies, conversion.
#include "engine/core/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/memory.h"

namespace hw {
namespace {

TEST(Tensor, storage_is_aligned_and_shared) {
  Tensor a = Tensor::zeros(DType::f32, {3, 5});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data()) % 64, 0u);
  EXPECT_EQ(a.size(), 15);
  EXPECT_EQ(a.bytes(), 60u);
  Tensor b = a, c = a.clone(), d = a.reshaped({15});
  a.as<float>()[4] = 2;
  EXPECT_EQ(b.as<float>()[4], 2);
  EXPECT_EQ(d.as<float>()[4], 2);
  EXPECT_EQ(c.as<float>()[4], 0);
  EXPECT_TRUE(Tensor().empty());
  EXPECT_FALSE(Tensor(DType::f16, {0, 4}).empty());
}

TEST(Tensor, converts) {
  const double values[] = {1, 1.0 + 0x1p-11 + 0x1p-40, -65520};
  const Tensor h = Tensor::from_f64(DType::f16, {3}, values);
  EXPECT_EQ(h.as<uint16_t>()[1], 0x3C01);
  EXPECT_EQ(h.to(DType::f16).data(), h.data());
  const std::vector<double> back = h.to(DType::f32).to_f64();
  EXPECT_EQ(back[1], 1.0 + 0x1p-10);
  EXPECT_EQ(back[2], -HUGE_VAL);
  EXPECT_EQ(Tensor::from_f64(DType::i32, {}, std::vector<double>{-7.9}).as<int32_t>()[0], -7);
}

/// Huge pages are asked for where they are full: the last one would double a tensor of a little more than 2 MiB.
TEST(Tensor, large_ones_take_little_more_than_their_elements) {
  constexpr int64_t kElements = 9 << 16;  // f32: 2.25 MiB
  const size_t before = resident_memory();
  std::vector<Tensor> all;
  for (int i = 0; i < 32; ++i) all.push_back(Tensor::zeros(DType::f32, {kElements}));
  EXPECT_LT(resident_memory(), before + all.size() * all[0].bytes() * 5 / 4);
}

}  // namespace
}  // namespace hw
