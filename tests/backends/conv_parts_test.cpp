// A convolution of one picture alone is cut into parts for all threads: the bits of one thread.
#include "engine/backend/cpu/kernels/conv_parts.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/compare/scoped_thread_count.h"
#include "engine/devices/devices.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "engine/program/product_bias.h"
#include "op_cases.h"

namespace hw::test {
namespace {

struct Case {
  const char* what;
  Dims x, weight;
  Pair stride{1, 1}, dilation{1, 1}, pad{1, 1};
  int64_t groups = 1;
};

const Case kCases[] = {
    {"many rows", {1, 24, 29, 31}, {40, 24, 3, 3}},
    {"few rows, many channels", {1, 64, 7, 7}, {384, 64, 3, 3}},
    {"a stride", {1, 32, 57, 45}, {48, 32, 3, 3}, {2, 2}},
    {"taps far apart", {1, 16, 40, 40}, {64, 16, 3, 3}, {1, 1}, {3, 2}, {4, 1}},
    {"pixels alone", {1, 96, 14, 14}, {160, 96, 1, 1}, {1, 1}, {1, 1}, {0, 0}},
    {"each channel by itself", {1, 96, 56, 56}, {96, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 96},
    {"one row", {1, 64, 1, 200}, {128, 64, 1, 3}, {1, 1}, {1, 1}, {0, 1}},
    {"more padding than picture", {1, 128, 2, 9}, {128, 128, 3, 3}, {1, 1}, {1, 1}, {4, 4}},
};

/// `passes`: what follows the convolution joins its parts where it may.
std::vector<std::byte> result(const Case& c, DType dtype, int threads, bool passes = false, bool* joined = nullptr) {
  const ScopedThreadCount count(threads);
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const auto param = [&](Dims dims) {
    return b.param("p" + std::to_string(program->params.size()), dtype, std::move(dims), {Init::Kind::uniform, 0.5});
  };
  ConvAttr attr;
  attr.stride = c.stride;
  attr.dilation = c.dilation;
  attr.pad_begin = attr.pad_end = c.pad;
  attr.groups = c.groups;
  const Val x = b.input("x", dtype, c.x);
  Val y = product_with_bias(b, Op::conv2d, x, param(c.weight), param({c.weight[0]}), attr);
  // A residual block's end; the parts of the next convolution read across those of this one.
  const Val squashed = b.relu(b.scale(y, 0.5));
  ConvAttr last;
  last.pad_begin = last.pad_end = {1, 1};
  const Val next = product_with_bias(b, Op::conv2d, squashed, param({24, c.weight[0], 3, 3}), param({24}), last);
  y = b.relu(b.add(b.scale(next, 2), product_with_bias(b, Op::conv2d, squashed, param({24, c.weight[0], 1, 1}),
                                                       param({24}), ConvAttr{})));
  EXPECT_TRUE(b.status()) << b.status().error().text();
  program->outputs.push_back({"y", y.id});
  if (passes) program = std::make_shared<Program>(*apply_passes(*program, {"cpu", {}}).program);
  const auto device = *make_device("cpu");
  const auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  EXPECT_TRUE(e->write_input("x", Tensor::from_f64(dtype, c.x, numbers(element_count(c.x), -1, 1, 3))));
  EXPECT_TRUE(e->run({}));
  EXPECT_TRUE(e->run({})) << "with the weights that are packed already";
  for (size_t i = 0; joined && i < program->instrs.size(); ++i)
    *joined = *joined || e->kernel_info(i).implementation.ends_with("part by part");
  const Tensor made = *e->read(y.id);
  const auto* bytes = static_cast<const std::byte*>(made.data());
  return {bytes, bytes + made.bytes()};
}

TEST(ConvParts, GiveTheBitsOfOneThread) {
  for (const Case& c : kCases)
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const std::vector<std::byte> alone = result(c, dtype, 1);
      for (const int threads : {2, 3, 5}) EXPECT_EQ(result(c, dtype, threads), alone) << c.what << ", " << threads;
    }
}

TEST(ConvParts, AreWhatPointwiseOpsMayBeComputedOn) {
  bool joined = false;
  for (const Case& c : kCases)
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const std::vector<std::byte> plain = result(c, dtype, 1);
      for (const int threads : {1, 2, 3, 5})
        EXPECT_EQ(result(c, dtype, threads, true, &joined), plain) << c.what << ", " << threads;
    }
  EXPECT_TRUE(joined);
}

/// What is read back, and how many ops are joined to parts.
struct Joined {
  std::vector<std::vector<double>> results;
  std::vector<std::byte> bits;
  int64_t ops = 0;
};

/// conv2d twice, clamp, + the first picture made, ReLU, and conv2d again. `kept`: the second convolution and the sum
/// are read too.
Joined joined(const Dims& x_dims, int threads, bool passes, bool kept, const char* device_id = "cpu") {
  const ScopedThreadCount count(threads);
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const int64_t c = x_dims[1];
  ConvAttr attr;
  attr.pad_begin = attr.pad_end = {1, 1};
  const auto conv = [&](Val x) {
    const auto param = [&](Dims dims) {
      return b.param("p" + std::to_string(program->params.size()), DType::f32, std::move(dims),
                     {Init::Kind::uniform, 0.5});
    };
    return product_with_bias(b, Op::conv2d, x, param({c, c, 3, 3}), param({c}), attr);
  };
  const Val x = conv(b.input("x", DType::f32, x_dims));
  const Val first = conv(x), clamped = b.emit(Op::clamp, {first}, ClampAttr{0, 1.5})[0];
  const Val sum = b.add(x, clamped), last = conv(b.relu(sum));
  EXPECT_TRUE(b.status()) << b.status().error().text();
  std::vector<Val> read{last};
  if (kept) read.insert(read.end(), {first, sum});
  for (const Val v : read) program->outputs.push_back({"y" + std::to_string(program->outputs.size()), v.id});
  if (passes) program = std::make_shared<Program>(*apply_passes(*program, {"cpu", {}}).program);
  const auto device = *make_device(device_id);
  const auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  auto values = numbers(element_count(x_dims), -1, 1, 3);
  values[values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(e->write_input("x", Tensor::from_f64(DType::f32, x_dims, values)));
  EXPECT_TRUE(e->run({}));
  Joined made;
  for (const Port& output : program->outputs) {
    const Tensor result = *e->read(output.value);
    const auto* bytes = static_cast<const std::byte*>(result.data());
    made.bits.insert(made.bits.end(), bytes, bytes + result.bytes());
    made.results.push_back(result.to_f64());
  }
  for (size_t i = 0; i < program->instrs.size(); ++i)
    made.ops += e->kernel_info(i).implementation.find("part by part") != std::string::npos;
  return made;
}

TEST(ConvParts, WhatIsJoinedToThemGivesTheBitsOfOpAfterOp) {
  for (const Dims& dims : {Dims{1, 48, 30, 30}, Dims{1, 40, 67, 71}})  // less than a strip of a region each, and many
    for (const bool kept : {false, true}) {
      const Joined alone = joined(dims, 1, false, kept);
      EXPECT_EQ(alone.ops, 0);
      for (const int threads : {2, 3}) {
        const Joined parts = joined(dims, threads, true, kept);
        EXPECT_EQ(parts.bits, alone.bits) << dims[2] << ", " << threads << ", " << kept;
        EXPECT_GE(parts.ops, kept ? 0 : 1) << dims[2] << ", " << threads;
      }
      const auto expected = joined(dims, 1, false, kept, "ref").results;
      for (size_t k = 0; k < expected.size(); ++k)
        for (size_t i = 0; i < expected[k].size(); ++i) {
          const double want = expected[k][i], got = alone.results[k][i];
          ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : std::abs(want - got) < 1e-3) << k << ", " << i;
        }
    }
}

}  // namespace
}  // namespace hw::test
