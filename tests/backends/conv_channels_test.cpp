// The gradient of a large weight, made some output channels at a time: against ref, and the same bits whatever the
// number of threads and the layout of the pictures.
#include "engine/backend/cpu/kernels/conv_channels.h"

#include <limits>

#include "engine/backend/value_probe.h"
#include "engine/compare/scoped_thread_count.h"
#include "engine/devices/devices.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "op_judge.h"

namespace hw::test::conv_channels_test {
namespace {

constexpr DType kDTypes[] = {DType::f32, DType::bf16, DType::f16};

CaseProgram program_of(const Dims& x, const Dims& weight, const Dims& y, DType dtype) {
  ConvAttr attr;
  attr.pad_begin = attr.pad_end = {weight[2] / 2, weight[3] / 2};
  attr.dims = weight;
  attr.dtype = dtype;
  const CaseProgram p = case_program({Op::conv2d_grad_weight, "large", {x, y}, attr, -1, 1}, dtype);
  EXPECT_GT(cpu::grad_weight_channels(*p.program, p.program->instrs[0]), 0);
  return p;
}

Tensor with_first(const Tensor& x, double first) {
  std::vector<double> numbers = x.to_f64();
  numbers[0] = first;
  return Tensor::from_f64(x.dtype(), x.dims(), numbers);
}

TEST(ConvChannels, agree_with_ref) {
  for (const DType dtype : kDTypes) {
    const auto cpu = *make_device("cpu");
    const std::string what(name(dtype));
    expect_agrees(program_of({3, 160, 5, 7}, {96, 160, 3, 3}, {3, 96, 5, 7}, dtype), *cpu, what);
    expect_agrees(program_of({1, 64, 4, 4}, {448, 64, 3, 3}, {1, 448, 4, 4}, dtype), *cpu, what + ", one picture");
  }
}

TEST(ConvChannels, agree_with_ref_in_pieces_of_the_pictures) {
  const CaseProgram p = program_of({9, 256, 1, 257}, {512, 256, 1, 1}, {9, 512, 1, 257}, DType::f32);
  expect_agrees(p, **make_device("cpu"), "8 pictures, then one");
}

TEST(ConvChannels, have_the_same_bits_at_any_thread_count) {
  for (const DType dtype : kDTypes) {
    const CaseProgram p = program_of({5, 160, 9, 7}, {96, 160, 3, 3}, {5, 96, 9, 7}, dtype);
    const auto made = [&](int threads) {
      const ScopedThreadCount count(threads);
      return run_case(p, **make_device("cpu"))[0];
    };
    const Tensor alone = made(1);
    for (const int threads : {2, 3, 8}) EXPECT_TRUE(same_bits(alone, made(threads))) << name(dtype) << threads;
  }
}

TEST(ConvChannels, have_the_same_bits_in_both_layouts) {
  for (const DType dtype : kDTypes) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const auto picture = [&](const std::string& name, int64_t channels) {
      const Val weight = b.param(name + "_weight", dtype, {channels, 8, 1, 1}, {Init::Kind::uniform, 0.5});
      return b.emit(Op::conv2d, {b.input(name, dtype, {3, 8, 5, 6}), weight}, ConvAttr{})[0];
    };
    const Val x = picture("x", 160), g = picture("g", 96);
    ConvAttr attr;
    attr.pad_begin = attr.pad_end = {1, 1};
    attr.dims = {96, 160, 3, 3};
    const Val made = b.emit(Op::conv2d_grad_weight, {x, g}, attr)[0];
    program->outputs.push_back({"gradient", made.id});
    ASSERT_TRUE(b.status()) << b.status().error().text();
    const auto device = *make_device("cpu");
    std::string layouts;
    const auto gradient = [&](const std::shared_ptr<const Program>& of) {
      const auto e = *device->compile(of, *device->prepare_states(*of, nullptr, 1, nullptr));
      for (const Port& port : of->inputs) {
        const Value& v = (*of)[port.value];
        EXPECT_TRUE(e->write_input(
            port.name, Tensor::from_f64(v.dtype, v.dims, numbers(element_count(v.dims), -1, 1, port.value))));
      }
      EXPECT_TRUE(e->run({}));
      layouts += e->kernel_info(of->instrs.size() - 1).implementation.ends_with("channels last") ? "last " : "row ";
      return *e->read(made.id);
    };
    const Tensor with = gradient(apply_passes(*program, {"cpu", {}}).program);
    EXPECT_TRUE(same_bits(with, gradient(program))) << name(dtype);
    EXPECT_EQ(layouts, "last row ");
  }
}

// With an Inf too: a part that is computed anew, from f32, is counted once.
TEST(ConvChannels, count_what_rounding_takes_away_once) {
  constexpr int64_t kElements = int64_t{96} * 160 * 9;
  for (const bool with_inf : {false, true}) {
    CaseProgram p = program_of({3, 160, 5, 7}, {96, 160, 3, 3}, {3, 96, 5, 7}, DType::bf16);
    if (with_inf) p.values[1] = with_first(p.values[1], std::numeric_limits<double>::infinity());
    for (const int threads : {1, 4}) {
      const ScopedThreadCount count(threads);
      const CaseRun run = start_case(p, **make_device("cpu"));
      ASSERT_TRUE(run.executable);
      ValueProbe probe(*p.program, {p.out[0].id});
      probe.begin(0, 0);
      ASSERT_TRUE(run.executable->run({}, &probe));
      EXPECT_EQ(probe.look(0).losses.rounded, kElements) << threads << " threads, Inf " << with_inf;
    }
  }
}

TEST(ConvChannels, take_no_more_memory_for_more_pictures) {
  for (const DType dtype : kDTypes) {
    const auto bytes = [&](int64_t pictures) {
      const CaseProgram p = program_of({pictures, 64, 32, 32}, {448, 64, 3, 3}, {pictures, 448, 32, 32}, dtype);
      return start_case(p, **make_device("cpu")).executable->temp_bytes();
    };
    EXPECT_EQ(bytes(5), bytes(10)) << name(dtype);
  }
}

}  // namespace
}  // namespace hw::test::conv_channels_test
