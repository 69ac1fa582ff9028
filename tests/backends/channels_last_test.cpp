// Pictures in the cpu's own layout between convolutions: the bits of row-major ones, and only where nobody else looks.
#include "engine/backend/cpu/runtime/channels_last.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/core/cpu_features.h"
#include "engine/devices/devices.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "engine/program/product_bias.h"
#include "op_cases.h"

namespace hw::test::channels_last_test {
namespace {

struct Net {
  int64_t pictures = 5, groups = 1;
  DType dtype = DType::f32;
  bool shifts = false;   // each channel by a number of its own
  bool affines = false;  // each column by a factor of its own
  bool pools = false;    // overlapping windows, of maxima and of means
};

/// Convolutions with bias, ReLU, a residual sum, pools where asked for, a transposed convolution.
struct Made {
  explicit Made(const Net& net) {
    OpBuilder b(*program);
    const Val x = b.input("x", net.dtype, {net.pictures, 6, 13, 9});
    ConvAttr same, down, up;
    same.pad_begin = same.pad_end = down.pad_begin = down.pad_end = {1, 1};
    same.groups = net.groups;
    down.stride = up.stride = {2, 2};
    up.dims = {net.pictures, 5, 15, 11};
    const auto param = [&](Dims dims) {
      return b.param("p" + std::to_string(program->params.size()), net.dtype, std::move(dims),
                     {Init::Kind::uniform, 0.5});
    };
    const Val first = b.relu(product_with_bias(b, Op::conv2d, x, param({8, 6, 3, 3}), param({8}), down));
    const Val second = product_with_bias(b, Op::conv2d, first, param({8, 8 / net.groups, 3, 3}), param({8}), same);
    between = b.relu(b.add(first, b.scale(second, 0.5)));
    const Val shifted = net.shifts    ? b.add(between, param({1, 8, 1, 1}))
                        : net.affines ? b.affine(between, {1, 2, 3, 4, 5}, {0, 0, 0, 0, 0})
                                      : between;
    PoolAttr window{{3, 3}, {1, 1}, {1, 1}, {1, 1}};
    const Val pooled = net.pools ? b.emit(Op::avg_pool, b.emit(Op::max_pool, {shifted}, window), window)[0] : shifted;
    const Val third = product_with_bias(b, Op::conv2d, pooled, param({8, 8 / net.groups, 3, 3}), Val{}, same);
    y = product_with_bias(b, Op::conv2d_grad_input, b.relu(third), param({8, 5, 3, 3}), param({5}), up);
    program->outputs.push_back({"y", y.id});
    EXPECT_TRUE(b.status()) << b.status().error().text();
  }
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val between, y;
};

struct Ran {
  Tensor y, kept;
  int kernels = 0;  // that say so
};

Ran run(const std::shared_ptr<const Program>& program, Val y, std::vector<ValueId> keep = {}) {
  const auto device = *make_device("cpu");
  const auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr), keep);
  const Value& x = (*program)[program->inputs[0].value];
  EXPECT_TRUE(e->write_input("x", Tensor::from_f64(x.dtype, x.dims, numbers(element_count(x.dims), -1, 1, 3))));
  EXPECT_TRUE(e->run({}));
  Ran ran{*e->read(y.id), keep.empty() ? Tensor() : *e->read(keep.front())};
  for (size_t i = 0; i < program->instrs.size(); ++i)
    ran.kernels += e->kernel_info(i).implementation.ends_with("channels last");
  return ran;
}

TEST(ChannelsLast, GivesTheSameBits) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const int64_t pictures : {1, 5, 1100})
      for (const Net& other :
           {Net{}, Net{.groups = 2}, Net{.shifts = true}, Net{.affines = true}, Net{.pools = true}}) {
        const Made net({pictures, other.groups, dtype, other.shifts, other.affines, other.pools});
        const Ran with = run(apply_passes(*net.program, {"cpu", {}}).program, net.y);
        const Ran without = run(net.program, net.y);
        EXPECT_EQ(with.kernels, 4);
        EXPECT_EQ(without.kernels, 0);
        EXPECT_EQ(std::memcmp(with.y.data(), without.y.data(), with.y.bytes()), 0)
            << name(dtype) << ", " << pictures << " pictures, " << other.groups << " groups, " << other.shifts
            << other.affines << other.pools;
      }
}

TEST(ChannelsLast, WhatIsKeptIsRowMajor) {
  const Made net({});
  const std::vector<ValueId> keep{net.between.id};
  const Ran with = run(apply_passes(*net.program, {"cpu", keep}).program, net.y, keep);
  const Ran without = run(net.program, net.y, keep);
  EXPECT_EQ(with.kernels, 2);
  ASSERT_GT(with.kept.bytes(), 0u);
  EXPECT_EQ(std::memcmp(with.kept.data(), without.kept.data(), with.kept.bytes()), 0);
}

TEST(ChannelsLast, LeavesWhatOthersRead) {
  const auto count = [](const Made& net, std::vector<ValueId> keep) {
    const auto passed = apply_passes(*net.program, {"cpu", keep}).program;
    return std::ranges::count(cpu::channels_last(*passed, keep), true);
  };
  const Made net({});
  EXPECT_EQ(count(net, {}), 8);                          // all that is between convolutions
  EXPECT_EQ(count(net, {net.between.id}), 2);            // what is added has the layout of the sum
  EXPECT_EQ(count(Made({.pools = true}), {}), 10);       // both pools compute in it
  EXPECT_EQ(count(Made({.dtype = DType::f64}), {}), 0);  // no oneDNN
}

TEST(ChannelsLast, ATrainingStepOfEveryOpHasTheSameBits) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const Val x = b.input("x", dtype, {6, 3, 17, 11});
    const auto param = [&](DType stored, Dims dims, double a) {
      return b.param("p" + std::to_string(program->params.size()), stored, std::move(dims), {Init::Kind::uniform, a});
    };
    const auto made = [&](Op op, std::vector<Val> in, Attr attr = {}) {
      const std::vector<Val> out = b.emit(op, std::move(in), std::move(attr));
      return out.empty() ? Val{} : out[0];
    };
    ConvAttr same;
    same.pad_begin = same.pad_end = {1, 1};
    const Val weight = param(dtype, {20, 3, 3, 3}, 0.5), weight2 = param(dtype, {20, 20, 3, 3}, 0.2);
    const Val scale = param(dtype, {20}, 1), bias = param(dtype, {20}, 1);
    const Val conv = made(Op::conv2d, {x, weight}, same);
    const Val moments = made(Op::channel_moments, {conv});
    const BatchNormAttr norm{1e-5, true};
    const Val normal = made(Op::batch_norm, {conv, moments, scale, bias}, norm);
    const PoolAttr window{{3, 3}, {2, 2}, {1, 1}, {1, 1}};
    const Val act = b.relu(normal), pooled = made(Op::max_pool, {act}, window);
    const Val y = made(Op::conv2d, {pooled, weight2}, same);
    // The gradient of half the sum of squares.
    ASSERT_TRUE(b.status()) << b.status().error().text();
    ConvAttr back = same;
    back.dims = b[pooled].dims;
    const Val d_pooled = made(Op::conv2d_grad_input, {y, weight2}, back);
    back.dims = b[weight2].dims;
    const Val d_weight2 = made(Op::conv2d_grad_weight, {pooled, y}, back);
    PoolAttr unpool = window;
    unpool.dims = b[act].dims;
    const Val d_act = made(Op::max_pool_grad, {d_pooled, act}, unpool);
    const Val d_normal = made(Op::relu_grad, {d_act, act});
    const Val sums = made(Op::batch_norm_grad_sums, {d_normal, conv, moments}, norm);
    const Val d_conv = made(Op::batch_norm_grad_input, {d_normal, conv, moments, scale, sums}, norm);
    back.dims = b[weight].dims;
    const Val d_weight = made(Op::conv2d_grad_weight, {x, d_conv}, back);
    ASSERT_TRUE(b.status()) << b.status().error().text();
    const std::vector<Val> outputs{moments, sums, d_weight, d_weight2};
    for (const Val v : outputs) program->outputs.push_back({"out", v.id});
    const auto results = [&](const std::shared_ptr<const Program>& p, int64_t last, Isa isa) {
      const auto device = make_cpu_device(isa);
      const auto e = *device->compile(p, *device->prepare_states(*p, nullptr, 1, nullptr));
      EXPECT_EQ(std::ranges::count(cpu::channels_last(*p, {}), true), last);
      EXPECT_TRUE(e->write_input("x", Tensor::from_f64(dtype, b[x].dims, numbers(element_count(b[x].dims), -1, 1, 3))));
      EXPECT_TRUE(e->run({}));
      std::vector<Tensor> all;
      for (const Val v : outputs) all.push_back(*e->read(v.id));
      return all;
    };
    auto any_layout = std::make_shared<Program>(*program);
    any_layout->any_layout = true;
    const std::vector<Tensor> alone = results(program, 0, Isa::scalar);
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
      if (isa > detected_isa()) continue;
      const auto with = results(any_layout, 9, isa), without = results(program, 0, isa);
      for (size_t i = 0; i < outputs.size(); ++i)
        for (const Tensor& out : {with[i], without[i]})
          EXPECT_EQ(std::memcmp(out.data(), alone[i].data(), out.bytes()), 0)
              << name(dtype) << ", " << name(isa) << ", output " << i;
    }
  }
}

TEST(ChannelsLast, OpsThatCutPicturesOtherwiseKeepThemRowMajor) {
  enum class Between { concat, slice, reshape, mean };
  for (const Between between : {Between::concat, Between::slice, Between::reshape, Between::mean}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const auto param = [&](Dims dims) {
      return b.param("p" + std::to_string(program->params.size()), DType::f32, std::move(dims),
                     {Init::Kind::uniform, 0.5});
    };
    ConvAttr same;
    same.pad_begin = same.pad_end = {1, 1};
    const PoolAttr window{{3, 3}, {1, 1}, {1, 1}, {1, 1}};
    const Val x = b.input("x", DType::f32, {8, 6, 9, 7});
    const auto conv = [&](Val v) { return b.emit(Op::conv2d, {v, param({6, 6, 3, 3})}, same)[0]; };
    const Val pooled = b.emit(Op::max_pool, {conv(x)}, window)[0];
    Val cut;
    if (between == Between::concat) cut = b.concat(std::vector<Val>{pooled, pooled}, 0);
    if (between == Between::slice) cut = b.slice(pooled, 0, 2, 5);
    if (between == Between::reshape) cut = b.reshape(b.reshape(pooled, {2, 4, 6, 9, 7}), {4, 2, 6, 9, 7});
    if (between == Between::reshape) cut = b.reshape(cut, {8, 6, 9, 7});
    if (between == Between::mean) cut = b.sum_to(pooled, {1, 6, 9, 7}, DType::f32);
    const Val y = conv(b.emit(Op::max_pool, {conv(cut)}, window)[0]), z = conv(cut);
    ASSERT_TRUE(b.status()) << b.status().error().text();
    for (const Val v : {y, z}) program->outputs.push_back({"out", v.id});
    auto any_layout = std::make_shared<Program>(*program);
    any_layout->any_layout = true;
    for (const Val v : {y, z}) {
      const Tensor with = run(any_layout, v).y, without = run(program, v).y;
      EXPECT_EQ(std::memcmp(with.data(), without.data(), with.bytes()), 0) << static_cast<int>(between);
    }
  }
}

}  // namespace
}  // namespace hw::test::channels_last_test
