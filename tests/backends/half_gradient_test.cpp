// The gradient of a hash grid's table in f16: summed as in f32, rounded once, and what that loses is counted.
#include "half_gradient.h"

#include "engine/devices/devices.h"
#include "host_gpu.h"

namespace hw::test::half_gradient_test {
namespace {

std::vector<std::shared_ptr<Device>> devices() {
  return {*make_device("ref"), *make_device("cpu"), host_gpu(), host_gpu({.backwards = true})};
}

TEST(HalfGradient, is_the_sum_in_f32_rounded_once) {
  for (int features : {1, 2, 4})
    for (const auto& device : devices()) {
      const TableGradient half(DType::f16, features), single(DType::f32, features);
      const auto e = half.on(*device), beside = single.on(*device);
      for (uint32_t draw = 0; draw < 3; ++draw) {  // what an earlier run touched is cleared
        for (const double largest : {1.0, 0x1p-22}) {
          half.feed(*e, largest, draw);
          single.feed(*beside, largest, draw);
          ASSERT_TRUE(e->run({}));
          ASSERT_TRUE(beside->run({}));
          expect_rounded_once(*e->read(half.gradient), *beside->read(single.gradient));
          EXPECT_TRUE(same_bits(*e->read(half.touched), *beside->read(single.touched)));
        }
      }
    }
}

TEST(HalfGradient, is_the_sum_in_f32_to_the_bit_on_the_cpu) {
  const auto cpu = *make_device("cpu");
  const TableGradient half(DType::f16), single(DType::f32);
  const auto e = half.on(*cpu), beside = single.on(*cpu);
  half.feed(*e, 1, 5);
  single.feed(*beside, 1, 5);
  ASSERT_TRUE(e->run({}));
  ASSERT_TRUE(beside->run({}));
  EXPECT_TRUE(same_bits(*e->read(half.gradient), beside->read(single.gradient)->to(DType::f16)));
}

TEST(HalfGradient, counts_what_becomes_0_or_infinite) {
  expect_losses_of_the_cpu(*make_device("cpu"));
  expect_losses_of_the_cpu(host_gpu());
  const TableGradient half(DType::f16);
  const auto ref = *make_device("ref");
  const auto e = half.on(*ref);
  half.feed(*e, 0x1p-25, 1);
  ValueProbe probe(*half.program, {half.gradient});
  probe.begin(1, 0);
  ASSERT_TRUE(e->run({}, &probe));
  EXPECT_GT(probe.look(0).losses.underflowed, 0);
}

TEST(HalfGradient, is_not_rounded_where_nobody_asks) {
  const TableGradient single(DType::f32);
  for (const auto& device : devices()) {
    const auto e = single.on(*device);
    single.feed(*e, 0x1p-25, 1);
    ValueProbe probe(*single.program, {single.gradient});
    probe.begin(1, 0);
    ASSERT_TRUE(e->run({}, &probe));
    EXPECT_EQ(probe.look(0).losses.underflowed, 0);
    const bool wider = device->id() == "ref";  // it computes in f64
    EXPECT_EQ(probe.look(0).losses.rounded > 0, wider);
  }
}

/// Adam on a table whose gradient is f16: reads it as it is, and gives it back cleared where nobody else reads it.
TEST(HalfGradient, is_read_by_the_optimiser) {
  const auto train = [](DType stored, Device& device) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    b.set_node("grid");
    HashGridAttr grid = make_hash_grid(3, 5, 2, 9, 4, 2.0, false);
    grid.gradient = stored;
    const Val x = b.input("x", DType::f32, {300, 3}), g = b.input("g", DType::f32, {300, 10});
    const Val table = b.param("table", DType::f16, {grid.table_entries(), 2}, {Init::Kind::uniform, 1, 3});
    const std::vector<Val> made = b.emit(Op::hash_grid_grad_table, {x, g}, grid);
    const Value master = b[Val{program->params[0].master}];
    UpdateAttr attr;
    attr.has_touched = true;
    b.set_update(true);
    b.emit(Op::adam_update,
           {table, Val{program->params[0].master}, b.state("m", master.dtype, master.dims),
            b.state("v", master.dtype, master.dims), b.state("t", DType::u8, {2 * element_count(master.dims)}), made[0],
            made[1]},
           attr);
    EXPECT_TRUE(b.status());
    const auto states = *device.prepare_states(*program, nullptr, 1, nullptr);
    const auto e = *device.compile(program, states);
    for (uint32_t step = 0; step < 4; ++step) {
      EXPECT_TRUE(e->write_input("x", Tensor::from_f64(DType::f32, {300, 3}, numbers(900, 0, 1, 2 * step))));
      EXPECT_TRUE(e->write_input("g", Tensor::from_f64(DType::f32, {300, 10}, numbers(3000, -1, 1, 2 * step + 1))));
      StepInputs inputs;
      inputs.step = step;
      inputs.learning_rate = 0.01;
      EXPECT_TRUE(e->run(inputs));
    }
    return states->read("m");
  };
  const auto ref = *make_device("ref");
  const Tensor single = train(DType::f32, *ref), expected = train(DType::f16, *ref);
  EXPECT_FALSE(same_bits(single, expected));
  for (const auto& device : devices()) {
    const std::vector<double> got = train(DType::f16, *device).to_f64(), from = expected.to_f64();
    // The moment is a mean of gradients below 16, each within a half unit of f16 of its own sum; two may round apart.
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], from[i], 0x1p-11 * 16) << i;
  }
}

}  // namespace
}  // namespace hw::test::half_gradient_test
