// An op's bits follow from its own shapes and operands: the ops that a device runs together with it change none.
#include <set>

#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/devices/devices.h"
#include "op_cases.h"

namespace hw::test {
namespace {

/// The case among ops on as many rows, so wide that a tile holds few of them. Empty: the op is not tiled.
std::optional<CaseProgram> crowded(const OpCase& c, DType dtype, bool pictures) {
  CaseProgram p = case_program(c, dtype);
  const TileRule rule = tile_rule(*p.program, p.program->instrs[0]);
  if (rule.tiling == Tiling::none || rule.rows < 2) return {};
  constexpr int64_t kMost = int64_t{1} << 20;
  const int64_t width = std::clamp<int64_t>(kMost / rule.rows, 64, int64_t{1} << 16);
  OpBuilder b(*p.program);
  b.set_node("crowd");
  const Dims dims = pictures ? Dims{rule.rows, 1, width / 8, 8} : Dims{rule.rows, width};
  const Val sum = b.sum_to(b.relu(b.input("crowd", DType::f32, dims)), {}, DType::f32);
  EXPECT_TRUE(b.status()) << (b.status() ? "" : b.status().error().text());
  p.program->outputs.push_back({"crowd", sum.id});
  return p;
}

int64_t tile_rows(const Program& p) {
  for (const cpu::Step& step : cpu::schedule(p))
    if (std::ranges::find(step.instrs, size_t{0}) != step.instrs.end()) return step.tile_rows;
  return 0;
}

TEST(CpuOps, give_the_same_bits_whatever_runs_beside_them) {
  const auto cpu = *make_device("cpu");
  int smaller = 0;
  std::set<Op> reductions;
  for (const OpCase& c : op_cases())
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
      for (const bool pictures : {false, true}) {
        if (pictures && dtype != DType::f32) continue;
        const auto among = crowded(c, dtype, pictures);
        if (!among) continue;
        const CaseProgram alone = case_program(c, dtype);
        const bool reduction = tile_rule(*alone.program, alone.program->instrs[0]).tiling == Tiling::reduction;
        smaller += tile_rows(*among->program) < tile_rows(*alone.program);
        if (reduction) reductions.insert(c.op);
        const std::vector<Tensor> expected = run_case(alone, *cpu), got = run_case(*among, *cpu);
        ASSERT_EQ(got.size(), expected.size());
        for (size_t k = 0; k < got.size(); ++k)
          EXPECT_TRUE(same_bits(got[k], expected[k]))
              << info(c.op).name << " (" << c.name << ") in " << name(dtype) << ", tiles of "
              << tile_rows(*among->program) << " rows instead of " << tile_rows(*alone.program);
      }
  EXPECT_GT(smaller, 50);
  EXPECT_EQ(reductions, (std::set<Op>{Op::matmul_tn, Op::sum_to, Op::reduce, Op::conv2d_grad_weight,
                                      Op::channel_moments, Op::batch_norm_grad_sums, Op::group_norm_grad_sums}));
}

}  // namespace
}  // namespace hw::test
