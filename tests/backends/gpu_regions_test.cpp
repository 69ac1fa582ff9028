// Which ops of a program become one kernel, and that memory and order are theirs: on a driver in host memory that makes
// such a kernel of the ops' own kernels.
#include <gtest/gtest.h>

#include "elementwise_chain.h"
#include "engine/backend/gpu/fused_bias.h"
#include "engine/backend/gpu/op_context.h"
#include "engine/backend/gpu/regions.h"
#include "engine/backend/value_probe.h"
#include "host_gpu.h"

namespace hw::test::gpu_regions_test {
namespace {

bool overlap(const void* a, size_t bytes_a, const void* b, size_t bytes_b) {
  const auto *x = static_cast<const std::byte*>(a), *y = static_cast<const std::byte*>(b);
  return x < y + bytes_b && y < x + bytes_a;
}

/// What a region's ops find: its operands in the driver's memory, other values in memory of their own.
class RegionMemory : public gpu::OpMemory {
 public:
  RegionMemory(const Program& program, const gpu::Region& region, const gpu::RegionOperands& operands) {
    for (size_t k = 0; k < region.inputs.size(); ++k) at_[region.inputs[k]] = const_cast<void*>(operands.in[k].data);
    for (size_t k = 0; k < region.outputs.size(); ++k) at_[region.outputs[k]] = operands.out[k].data;
    for (size_t i = region.first; i <= region.last(); ++i) {
      const ValueId v = program.instrs[i].out[0];
      if (!at_.contains(v)) at_[v] = own_.emplace_back(plan::value_bytes(program[v])).data();
    }
  }
  void* value(ValueId v) override { return at_.at(v); }
  void* scratch(size_t, size_t) override { return nullptr; }
  Result<const void*> constant(const void*, size_t) override { return static_cast<const void*>(nullptr); }
  const gpu::StepData* step() override { return nullptr; }
  Result<const void*> from_host(size_t, gpu::FillBatch) override { return static_cast<const void*>(nullptr); }

 private:
  std::map<ValueId, void*> at_;
  std::deque<std::vector<std::byte>> own_;
};

class FusingDriver : public HostDriver {
 public:
  using HostDriver::HostDriver;
  bool fuses_elementwise() const override { return true; }
  Result<gpu::Launch> plan_region(const Program& program, const gpu::Region& region,
                                  const gpu::RegionOperands& operands) override {
    if (regions++ == refuses) return Error{"HW-R008", "", "No kernel for this one.", ""};
    for (size_t x = 0; x < operands.in.size(); ++x)
      for (size_t y = 0; y < operands.out.size(); ++y)
        EXPECT_TRUE(!operands.out[y].data ||
                    !overlap(operands.in[x].data, plan::value_bytes(program[region.inputs[x]]), operands.out[y].data,
                             plan::value_bytes(program[region.outputs[y]])));
    auto memory = std::make_shared<RegionMemory>(program, region, operands);
    std::vector<gpu::Launch> of_ops;
    for (size_t i = region.first; i <= region.last(); ++i) {
      gpu::OpContext c(program, program.instrs[i], *memory);
      HW_CHECK(plan(c));
      for (gpu::Launch& launch : c.take_launches()) of_ops.push_back(std::move(launch));
    }
    return gpu::Launch([memory, of_ops](gpu::Driver& driver) {
      return static_cast<HostDriver&>(driver).work([memory, of_ops](gpu::Driver& d) -> Status {
        for (const gpu::Launch& launch : of_ops) HW_CHECK(launch(d));
        return ok();
      });
    });
  }
  size_t regions = 0;
  size_t refuses = ~size_t{0};  // the region of that number
};

TEST(GpuRegions, GiveTheBitsOfOpsOneByOne) {
  size_t fused = 0;
  for (const DType dtype : {DType::f32, DType::f16, DType::f64})
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const auto plain = drawn_chain(seed, dtype, Regions::never), program = drawn_chain(seed, dtype, Regions::always);
      const auto expected = compiled_chain(*host_gpu(), plain, true);
      ASSERT_TRUE(expected->run({}));
      const auto driver = std::make_shared<FusingDriver>(HostDriver::Options{.backwards = seed % 2 == 1});
      driver->refuses = seed % 3 == 0 ? 1 : ~size_t{0};
      const auto device = gpu::make_device_on(driver);
      const auto executable = compiled_chain(*device, program, true);
      fused += fused_ops(*program, *executable);
      for (int run = 0; run < 4; ++run) {  // launched, timed, recorded, replayed
        ASSERT_TRUE(executable->run({}));
        for (const Port& out : program->outputs)
          EXPECT_TRUE(same_bits(*executable->read(out.value), *expected->read(out.value)))
              << name(dtype) << " " << seed << " " << out.name << " in run " << run;
      }
    }
  EXPECT_GT(fused, 500u);
}

TEST(GpuRegions, RunOneByOneWhereTheProgramSaysSo) {
  const auto program = drawn_chain(3, DType::f32, Regions::never);
  const auto driver = std::make_shared<FusingDriver>();
  const auto executable = compiled_chain(*gpu::make_device_on(driver), program, false);
  EXPECT_EQ(driver->regions, 0u);
  EXPECT_EQ(fused_ops(*program, *executable), 0u);
}

TEST(GpuRegions, ShareTheirTimeAmongTheirOps) {
  const auto program = drawn_chain(3, DType::f32, Regions::always);
  const auto driver = std::make_shared<FusingDriver>();
  const auto executable = compiled_chain(*gpu::make_device_on(driver), program, false);
  for (int run = 0; run < 2; ++run) ASSERT_TRUE(executable->run({}));
  const auto regions = gpu::elementwise_regions(*program, {}, gpu::fused_biases(*program, {}));
  ASSERT_FALSE(regions.empty());
  for (const gpu::Region& region : regions)
    for (size_t i = region.first; i <= region.last(); ++i)
      EXPECT_EQ(executable->timings()[i], executable->timings()[region.first]) << i;
}

// A probe sees what ops make one by one, between runs that fuse them; what is kept is there in all runs.
TEST(GpuRegions, LetAProbeSeeAndAUserKeepWhatTheyDoNotStore) {
  const auto plain = drawn_chain(3, DType::f32, Regions::never),
             program = drawn_chain(3, DType::f32, Regions::unless_looked_at);
  std::vector<ValueId> values;
  for (const Instr& instr : plain->instrs)
    if (info((*plain)[instr.out[0]].dtype).is_float) values.push_back(instr.out[0]);
  const auto looks = [&](const Program& p, Executable& executable) {
    ValueProbe probe(p, values);
    probe.begin(1, 0);
    EXPECT_TRUE(executable.run({}, &probe));
    std::vector<Tensor> samples;
    for (size_t k = 0; k < values.size(); ++k) samples.push_back(probe.sample(k));
    return samples;
  };
  const auto device = gpu::make_device_on(std::make_shared<FusingDriver>());
  const auto one_by_one = compiled_chain(*device, plain, false), fused = compiled_chain(*device, program, false);
  ASSERT_GT(fused_ops(*program, *fused), 0u);
  const std::vector<Tensor> expected = looks(*plain, *one_by_one);
  for (int run = 0; run < 4; ++run) {
    ASSERT_TRUE(fused->run({}));
    const std::vector<Tensor> seen = looks(*program, *fused);
    for (size_t k = 0; k < values.size(); ++k) EXPECT_TRUE(same_bits(seen[k], expected[k])) << run << " " << k;
  }
  const auto keeps = compiled_chain(*device, program, false, values);
  const auto keeps_plain = compiled_chain(*device, plain, false, values);
  ASSERT_GT(fused_ops(*program, *keeps), 0u);
  ASSERT_TRUE(keeps_plain->run({}));
  for (int run = 0; run < 4; ++run) {
    ASSERT_TRUE(keeps->run({}));
    for (const ValueId v : values) EXPECT_TRUE(same_bits(*keeps->read(v), *keeps_plain->read(v))) << run << " " << v;
  }
}

class RegionsOf : public testing::Test {
 protected:
  static bool is_elementwise(const Program& p, size_t i) { return p.instrs[i].op != Op::softmax; }
  std::vector<gpu::Region> regions(std::vector<ValueId> keep = {}) {
    return gpu::regions_of(program, keep, [&](size_t i) { return is_elementwise(program, i); });
  }
  Program program;
  OpBuilder b{program};
};

TEST_F(RegionsOf, EndWhereAnOpDoesNotFitOrDimsChange) {
  const Val x = b.input("x", DType::f32, {4, 8}), one = b.input("one", DType::f32, {1, 8});
  const Val y = b.add(b.relu(x), one), soft = b.softmax(y, 1), z = b.relu(b.relu(soft));
  const Val small = b.relu(one);
  program.outputs.push_back({"z", b.add(z, small).id});
  const auto found = regions();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, 0u);
  EXPECT_EQ(found[0].count, 2u);
  EXPECT_EQ(found[0].inputs, (std::vector<ValueId>{x.id, one.id}));
  EXPECT_EQ(found[0].outputs, (std::vector<ValueId>{y.id}));
  EXPECT_EQ(found[1].first, 3u);
  EXPECT_EQ(found[1].count, 2u) << "relu of `one` has other dims, and the add behind it is alone";
}

TEST_F(RegionsOf, GiveWhatIsReadBehindThemAndWhatIsKept) {
  const Val x = b.input("x", DType::f32, {8});
  const Val a = b.relu(x), c = b.scale(a, 2), d = b.add(c, a), e = b.softmax(a, 0);
  program.outputs.push_back({"y", b.add(d, e).id});
  EXPECT_EQ(regions().at(0).outputs, (std::vector<ValueId>{a.id, d.id}));
  EXPECT_EQ(regions({c.id}).at(0).outputs, (std::vector<ValueId>{a.id, c.id, d.id}));
}

TEST_F(RegionsOf, TakeSoManyOpsAndInputs) {
  Val y = b.input("x", DType::f32, {8});
  for (size_t i = 0; i < 2 * gpu::kMostRegionOps + 1; ++i) y = b.relu(y);
  for (size_t i = 0; i < gpu::kMostRegionInputs + 3; ++i)
    y = b.add(y, b.input("x" + std::to_string(i), DType::f32, {8}));
  program.outputs.push_back({"y", y.id});
  size_t ops = 0;
  for (const gpu::Region& region : regions()) {
    EXPECT_LE(region.count, gpu::kMostRegionOps);
    EXPECT_LE(region.inputs.size(), gpu::kMostRegionInputs);
    EXPECT_EQ(region.outputs.size(), 1u);
    ops += region.count;
  }
  EXPECT_GE(ops, program.instrs.size() - 1);
}

TEST_F(RegionsOf, LeaveOutWhatIsEmpty) {
  const Val x = b.input("x", DType::f32, {0, 3});
  program.outputs.push_back({"y", b.relu(b.relu(x)).id});
  EXPECT_TRUE(regions().empty());
}

}  // namespace
}  // namespace hw::test::gpu_regions_test
