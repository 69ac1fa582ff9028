// Regions of elementwise ops on the cpu: the bits of the ops one by one, on any number of threads.
#include "engine/backend/plan/regions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/core/parallel.h"
#include "engine/core/philox.h"
#include "engine/devices/devices.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "engine/program/product_bias.h"
#include "op_cases.h"

namespace hw::test::regions_test {
namespace {

using ::testing::SizeIs;

const PassesOff kRegionsOff = {"elementwise_regions"};

struct Ran {
  std::vector<Tensor> outputs;
  std::vector<std::string> kernels;  // by instruction
  size_t temp_bytes = 0;

  auto kernels_with(const std::string& words) const {
    return std::ranges::count_if(kernels, [&](const std::string& name) { return name.find(words) != name.npos; });
  }
  auto in_strips() const { return kernels_with("in strips"); }
};

struct Compiled {
  explicit Compiled(const std::shared_ptr<const Program>& p) : program(p) {
    const auto device = *make_device("cpu");
    executable = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
    for (const Port& input : program->inputs) {
      const Value& x = (*program)[input.value];
      const auto values = numbers(element_count(x.dims), -1, 1, 3);
      EXPECT_TRUE(executable->write_input(input.name, Tensor::from_f64(x.dtype, x.dims, values)));
    }
  }
  Ran run() {
    const Status status = executable->run({});
    EXPECT_TRUE(status) << status.error().text();
    Ran ran;
    for (const Port& output : program->outputs) ran.outputs.push_back(*executable->read(output.value));
    for (size_t i = 0; i < program->instrs.size(); ++i)
      ran.kernels.push_back(executable->kernel_info(i).implementation);
    ran.temp_bytes = executable->temp_bytes();
    return ran;
  }
  std::shared_ptr<const Program> program;
  std::unique_ptr<Executable> executable;
};

Ran run(const std::shared_ptr<const Program>& program) {
  return Compiled(program).run();
}

void expect_same_bits(const Ran& a, const Ran& b, const std::string& what) {
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t k = 0; k < a.outputs.size(); ++k)
    EXPECT_EQ(std::memcmp(a.outputs[k].data(), b.outputs[k].data(), a.outputs[k].bytes()), 0)
        << what << ", output " << k;
}

/// Ops on pictures, drawn from a seed: most are pointwise, of all dtypes; in between sums, channel shifts, numbers that
/// the program makes, and values that are read again much later.
std::shared_ptr<const Program> drawn_program(uint64_t seed, int64_t pictures) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Dims dims{pictures, 3, 211, 223};
  uint64_t draws = 0;
  const auto below = [&](size_t n) { return philox_block(seed, 0, 0, draws++)[0] % n; };
  std::vector<Val> made{b.input("x", DType::f32, dims), b.param("state", DType::f32, dims, {Init::Kind::uniform, 0.5})};
  const Val channels = b.param("channels", DType::f32, {1, 3, 1, 1}, {Init::Kind::uniform, 0.5});
  const auto any = [&] { return made[made.size() - 1 - below(std::min<size_t>(made.size(), 6))]; };
  const auto as = [&](Val v, Val like) { return b[v].dtype == b[like].dtype ? v : b.cast(v, b[like].dtype); };
  constexpr DType kDTypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64};
  for (int i = 0; i < 30; ++i) {
    const Val x = any();
    Val y;
    switch (below(13)) {
      case 0:
      case 1:
        y = b.relu(x);
        break;
      case 2:
      case 3:
        y = b.add(x, as(any(), x));
        break;
      case 4:
        y = b.sub(x, as(any(), x));
        break;
      case 5:
        y = b.unary(UnaryFn::tanh, x);
        break;
      case 6:
        y = b.scale(x, 0.75);
        break;
      case 7:
        y = b.cast(x, kDTypes[below(4)]);
        break;
      case 8:
        y = b.add(x, as(channels, x));
        break;
      case 9:
        y = b.stop_gradient(x);
        break;
      case 10:
        y = b.gradient_scale(b.clamp(x, -0.5, 0.75), 2, false);
        break;
      case 11:
        y = b.mul(x, b.mean(as(any(), x)));
        break;
      default: {
        const Val other = as(any(), x);
        y = b.where(b.compare(CompareFn::less, x, other), x, b.scale(other, 0.5));
      }
    }
    made.push_back(y);
    if (below(8) == 0) program->outputs.push_back({"y" + std::to_string(i), y.id});
  }
  program->outputs.push_back({"last", made.back().id});
  EXPECT_TRUE(b.status()) << b.status().error().text();
  return program;
}

/// Until it is destroyed, so many threads.
struct Threads {
  explicit Threads(int count) { set_thread_count(count); }
  ~Threads() { set_thread_count(before); }
  const int before = thread_count();
};

TEST(Regions, GiveTheSameBitsOnAnyNumberOfThreads) {
  for (uint64_t seed = 0; seed < 12; ++seed)
    for (const int64_t pictures : {1, 3}) {
      const auto program = drawn_program(seed, pictures);
      const Ran plain = run(program);
      EXPECT_EQ(plain.in_strips(), 0);
      const Threads restored(1);
      Compiled regions(apply_passes(*program, {"cpu", {}}).program);
      for (const int threads : {1, 3, 2}) {  // as many as it was compiled with, more, fewer again
        set_thread_count(threads);
        const Ran ran = regions.run();
        EXPECT_GT(ran.in_strips(), 8);
        expect_same_bits(ran, plain,
                         "seed " + std::to_string(seed) + ", " + std::to_string(pictures) + " pictures, " +
                             std::to_string(threads) + " threads");
      }
    }
}

TEST(Regions, AreThoseOfPicturesInAnyLayoutToo) {
  for (const int64_t pictures : {1, 3}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const auto weight = [&](const char* name) {
      return b.param(name, DType::f32, {8, 8, 3, 3}, {Init::Kind::uniform, 0.1});
    };
    ConvAttr same;
    same.pad_begin = same.pad_end = {1, 1};
    const Val x = b.input("x", DType::f32, {pictures, 8, 136, 136});
    const Val first = product_with_bias(b, Op::conv2d, x, weight("first"), Val{}, same);
    const Val second = product_with_bias(b, Op::conv2d, b.relu(first), weight("second"), Val{}, same);
    const Val sum = b.relu(b.add(b.scale(second, 0.5), first));
    const Val y = b.relu(product_with_bias(b, Op::conv2d, sum, weight("third"), Val{}, same));
    program->outputs.push_back({"y", y.id});
    ASSERT_TRUE(b.status());
    const Ran with = run(apply_passes(*program, {"cpu", {}}).program);
    EXPECT_EQ(with.in_strips(), 5);
    EXPECT_EQ(with.kernels_with("channels last"), 3);
    expect_same_bits(with, run(program), std::to_string(pictures) + " pictures");
  }
}

/// tanh(ReLU(x + x) · x), its middle kept where that is asked.
struct Chain {
  explicit Chain(Dims dims, bool middle_is_output = false) {
    OpBuilder b(*program);
    const Val x = b.input("x", DType::f32, std::move(dims));
    middle = b.relu(b.add(x, x));
    const Val y = b.unary(UnaryFn::tanh, b.mul(middle, x));
    if (middle_is_output) program->outputs.push_back({"middle", middle.id});
    program->outputs.push_back({"y", y.id});
    EXPECT_TRUE(b.status());
    program->regions = Regions::always;
  }
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val middle;
};

TEST(Regions, AreNeighboursOfOneShapeWhoseTilesAreLarge) {
  const auto regions_of = [](const Program& p) {
    const auto steps = cpu::schedule(p);
    EXPECT_THAT(steps, SizeIs(1));
    return steps.front().regions;
  };
  const Chain pictures({2, 3, 256, 256});
  const auto found = regions_of(*pictures.program);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].first, 0U);
  EXPECT_EQ(found[0].count, 4U);
  EXPECT_THAT(regions_of(*Chain({1 << 18, 3}).program), SizeIs(0)) << "small tiles";
  EXPECT_THAT(regions_of(*Chain({1, 3, 64, 64}).program), SizeIs(0)) << "a small picture";
  EXPECT_THAT(regions_of(*Chain({512, 3, 32, 32}).program), SizeIs(1)) << "small pictures, many in a tile";
  EXPECT_THAT(regions_of(*Chain({1, 3, 256, 256}).program), SizeIs(1));
  Chain off({2, 3, 256, 256});
  off.program->regions = Regions::never;
  EXPECT_THAT(regions_of(*off.program), SizeIs(0));

  auto drops = std::make_shared<Program>();
  OpBuilder b(*drops);
  const Val x = b.input("x", DType::f32, {2, 3, 256, 256});
  const Val shift = b.param("shift", DType::f32, {1, 3, 1, 1}, {Init::Kind::uniform, 0.5});
  const Val y = b.relu(b.add(b.relu(b.dropout(b.relu(x), 0.5)), shift));
  drops->outputs.push_back({"y", y.id});
  drops->regions = Regions::always;
  ASSERT_TRUE(b.status());
  EXPECT_THAT(regions_of(*drops), SizeIs(3)) << "dropout and what is stretched to the shape are none of them";
}

TEST(Regions, WhatNobodyElseReadsTakesAStrip) {
  const Chain chain({4, 3, 256, 256}), kept({4, 3, 256, 256}, true);
  const auto place_of_middle = [](const Chain& c) {
    const Program& p = *c.program;
    return plan::plan_memory(p, cpu::schedule(p), {}, std::vector<bool>(p.values.size(), false))
        .values[c.middle.id]
        .place;
  };
  EXPECT_EQ(place_of_middle(chain), plan::Place::strip);
  EXPECT_EQ(place_of_middle(kept), plan::Place::arena);
  auto plain = std::make_shared<Program>(*chain.program);
  plain->regions = Regions::never;
  const Ran with = run(chain.program), without = run(plain);
  EXPECT_LT(with.temp_bytes, without.temp_bytes);
  expect_same_bits(with, without, "chain");
  EXPECT_EQ(with.in_strips(), 4);
  EXPECT_THAT(apply_passes(*plain, {"cpu", {}}, kRegionsOff).program->regions, Regions::never);
}

}  // namespace
}  // namespace hw::test::regions_test
