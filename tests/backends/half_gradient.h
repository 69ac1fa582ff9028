// A hash grid whose table gradient is stored in f16, beside the same in f32.
#pragma once

#include <cmath>

#include "engine/backend/value_probe.h"
#include "engine/devices/devices.h"
#include "op_cases.h"

namespace hw::test {

/// The table's gradient for points in [0, 1]³ and gradients of their features up to `largest`.
struct TableGradient {
  static constexpr int64_t kPoints = 700;
  std::shared_ptr<Program> program = std::make_shared<Program>();
  ValueId gradient = kNoValue, touched = kNoValue;
  int64_t width;

  explicit TableGradient(DType stored, int features = 2) {
    OpBuilder b(*program);
    b.set_node("grid");
    HashGridAttr grid = make_hash_grid(3, 5, features, 9, 4, 2.0, false);
    grid.gradient = stored;
    width = 5 * features;
    const Val x = b.input("x", DType::f32, {kPoints, 3}), g = b.input("g", DType::f32, {kPoints, width});
    const std::vector<Val> made = b.emit(Op::hash_grid_grad_table, {x, g}, grid);
    gradient = made[0].id;
    touched = made[1].id;
    for (Val v : made) program->outputs.push_back({"y", v.id});
  }
  std::unique_ptr<Executable> on(Device& device) const {
    return *device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr));
  }
  /// `draw` distinguishes points.
  void feed(Executable& e, double largest, uint32_t draw) const {
    const auto write = [&](const char* name, int64_t size, double lo, double hi, uint32_t stream) {
      EXPECT_TRUE(
          e.write_input(name, Tensor::from_f64(DType::f32, {kPoints, size}, numbers(kPoints * size, lo, hi, stream))));
    };
    write("x", 3, 0, 1, 2 * draw);
    write("g", width, -largest, largest, 2 * draw + 1);
  }
};

/// Half a unit in the last place of f16, and of f32 for the number beside it: one rounding each.
inline void expect_rounded_once(const Tensor& half, const Tensor& single) {
  ASSERT_EQ(half.dtype(), DType::f16);
  ASSERT_EQ(half.dims(), single.dims());
  const std::vector<double> got = half.to_f64(), from = single.to_f64();
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::abs(got[i] - from[i]), std::abs(from[i]) * (0x1p-11 + 0x1p-23) + 0x1p-25) << i;
}

/// Gradients about the smallest number of f16: as many become 0 as on the cpu, but for sums in another order.
inline void expect_losses_of_the_cpu(const std::shared_ptr<Device>& device) {
  const TableGradient half(DType::f16);
  const auto look = [&](Device& on, double largest) {
    const auto e = half.on(on);
    half.feed(*e, largest, 1);
    ValueProbe probe(*half.program, {half.gradient});
    probe.begin(1, 0);
    EXPECT_TRUE(e->run({}, &probe));
    return probe.look(0).losses;
  };
  const auto cpu = *make_device("cpu");
  const RoundingLosses expected = look(*cpu, 0x1p-25), got = look(*device, 0x1p-25);
  EXPECT_GT(expected.underflowed, expected.rounded / 4);
  EXPECT_LT(expected.underflowed, expected.rounded);
  EXPECT_EQ(got.rounded, expected.rounded);
  EXPECT_NEAR(static_cast<double>(got.underflowed), static_cast<double>(expected.underflowed), 3);
  EXPECT_EQ(look(*device, 1).underflowed, look(*cpu, 1).underflowed);
  const RoundingLosses too_large = look(*device, 1e6);
  EXPECT_GT(too_large.overflowed, 0);
  EXPECT_EQ(too_large.overflowed, look(*cpu, 1e6).overflowed);
}

}  // namespace hw::test
