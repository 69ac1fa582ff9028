// Regions of elementwise ops on the cpu: the bits of the ops one by one, on any number of threads.
#include "engine/backend/plan/regions.h"

#include <gmock/gmock.h>

#include <cstring>

#include "engine/backend/cpu/schedule.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/core/parallel.h"
#include "engine/core/philox.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "op_cases.h"

namespace hw::test {
namespace {

using ::testing::SizeIs;

const PassesOff kRegionsOff = {"elementwise_regions"};

struct Ran {
  std::vector<Tensor> outputs;
  int in_strips = 0;  // ops whose kernels say so
  size_t temp_bytes = 0;
};

Ran run(const std::shared_ptr<const Program>& program) {
  const auto device = *make_device("cpu");
  const auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  for (const Port& input : program->inputs) {
    const Value& x = (*program)[input.value];
    EXPECT_TRUE(
        e->write_input(input.name, Tensor::from_f64(x.dtype, x.dims, numbers(element_count(x.dims), -1, 1, 3))));
  }
  const Status status = e->run({});
  EXPECT_TRUE(status) << status.error().text();
  Ran ran;
  for (const Port& output : program->outputs) ran.outputs.push_back(*e->read(output.value));
  for (size_t i = 0; i < program->instrs.size(); ++i)
    ran.in_strips += e->kernel_info(i).implementation.ends_with("in strips");
  ran.temp_bytes = e->temp_bytes();
  return ran;
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
  const Dims dims{pictures, 3, 61, 67};
  uint64_t draws = 0;
  const auto below = [&](size_t n) { return philox_block(seed, 0, 0, draws++)[0] % n; };
  std::vector<Val> made{b.input("x", DType::f32, dims)};
  const Val channels = b.param("channels", DType::f32, {1, 3, 1, 1}, {Init::Kind::uniform, 0.5});
  const auto any = [&] { return made[made.size() - 1 - below(std::min<size_t>(made.size(), 6))]; };
  const auto as = [&](Val v, Val like) { return b[v].dtype == b[like].dtype ? v : b.cast(v, b[like].dtype); };
  constexpr DType kDTypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64};
  for (int i = 0; i < 40; ++i) {
    const Val x = any();
    Val y;
    switch (below(11)) {
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

TEST(Regions, GiveTheSameBits) {
  const int before = thread_count();
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (const int64_t pictures : {1, 3}) {
      const auto program = drawn_program(seed, pictures);
      const auto with = apply_passes(*program, {"cpu", {}}).program;
      const Ran plain = run(program);
      EXPECT_EQ(plain.in_strips, 0);
      for (const int threads : {1, 3}) {
        set_thread_count(threads);
        const Ran regions = run(with);
        EXPECT_GT(regions.in_strips, 10);
        expect_same_bits(regions, plain,
                         "seed " + std::to_string(seed) + ", " + std::to_string(pictures) + " pictures, " +
                             std::to_string(threads) + " threads");
      }
      set_thread_count(before);
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
    program->regions = true;
  }
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val middle;
};

TEST(Regions, AreNeighboursOfOneShapeWithLongRows) {
  const auto regions_of = [](const Program& p) {
    const auto steps = cpu::schedule(p);
    EXPECT_THAT(steps, SizeIs(1));
    return steps.front().regions;
  };
  const Chain pictures({2, 3, 64, 64});
  const auto found = regions_of(*pictures.program);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].first, 0U);
  EXPECT_EQ(found[0].count, 4U);
  EXPECT_THAT(regions_of(*Chain({4096, 3}).program), SizeIs(0)) << "short rows";
  EXPECT_THAT(regions_of(*Chain({1, 3, 64, 64}).program), SizeIs(1));
  Chain off({2, 3, 64, 64});
  off.program->regions = false;
  EXPECT_THAT(regions_of(*off.program), SizeIs(0));

  auto drops = std::make_shared<Program>();
  OpBuilder b(*drops);
  const Val x = b.input("x", DType::f32, {2, 3, 64, 64});
  const Val shift = b.param("shift", DType::f32, {1, 3, 1, 1}, {Init::Kind::uniform, 0.5});
  const Val y = b.relu(b.add(b.relu(b.dropout(b.relu(x), 0.5)), shift));
  drops->outputs.push_back({"y", y.id});
  drops->regions = true;
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
  plain->regions = false;
  const Ran with = run(chain.program), without = run(plain);
  EXPECT_LT(with.temp_bytes, without.temp_bytes);
  expect_same_bits(with, without, "chain");
  EXPECT_EQ(with.in_strips, 4);
  EXPECT_THAT(apply_passes(*plain, {"cpu", {}}, kRegionsOff).program->regions, false);
}

}  // namespace
}  // namespace hw::test
