// Hash grids that outgrow the caches, which the cpu encodes level by level: against ref, and the bits of the tiles.
#include <algorithm>

#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/backend/value_probe.h"
#include "engine/compare/scoped_thread_count.h"
#include "engine/devices/devices.h"
#include "op_judge.h"

namespace hw::test::large_grid_test {
namespace {

struct Form {
  DType table;
  int64_t points;
  HashGridAttr grid;
};

std::vector<Form> forms() {
  return {{DType::f16, 70001, make_hash_grid(3, 4, 2, 20, 64, 2.0, false)},
          {DType::bf16, 20001, make_hash_grid(2, 4, 2, 20, 1024, 1.9, true)},
          {DType::f32, 20000, make_hash_grid(3, 5, 2, 19, 48, 1.7, false)}};
}

CaseProgram program_of(const Form& f) {
  const Dims x{f.points, f.grid.dims}, table{f.grid.table_entries(), f.grid.features};
  return case_program({Op::hash_grid, "large", {x, table}, f.grid, 0, 1}, f.table);
}

Tiling tiling_of(const CaseProgram& p) {
  return cpu::cpu_tile_rule(*p.program, p.program->instrs[0]).tiling;
}

Tensor last_rows(const Tensor& x, int64_t rows) {
  const auto all = x.to_f64();
  const auto first = all.end() - rows * x.dims()[1];
  return Tensor::from_f64(x.dtype(), {rows, x.dims()[1]}, std::vector<double>(first, all.end()));
}

TEST(LargeGrid, agrees_with_ref) {
  for (const Form& f : forms()) {
    const CaseProgram p = program_of(f);
    ASSERT_EQ(tiling_of(p), Tiling::none);
    expect_agrees(p, **make_device("cpu"), std::string(name(f.table)));
  }
}

TEST(LargeGrid, has_the_bits_of_the_tiles) {
  for (const Form& f : forms()) {
    const CaseProgram all = program_of(f);
    Form some = f;
    some.points = 1000;
    CaseProgram few = program_of(some);
    few.values = {last_rows(all.values[0], some.points), all.values[1]};
    ASSERT_EQ(tiling_of(few), Tiling::rows);
    const auto cpu = *make_device("cpu");
    EXPECT_TRUE(same_bits(last_rows(run_case(all, *cpu)[0], some.points), run_case(few, *cpu)[0])) << name(f.table);
  }
}

TEST(LargeGrid, has_the_same_bits_at_any_thread_count_and_on_every_instruction_set) {
  for (const Form& f : forms()) {
    const CaseProgram p = program_of(f);
    const auto made = [&](int threads) {
      const ScopedThreadCount count(threads);
      return run_case(p, **make_device("cpu"))[0];
    };
    const Tensor one = made(1);
    for (int threads : {2, 3, 8}) EXPECT_TRUE(same_bits(one, made(threads))) << threads << " threads";
    for (Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
      if (isa > detected_isa()) continue;
      EXPECT_TRUE(same_bits(one, run_case(p, *make_cpu_device(isa))[0])) << name(isa);
    }
  }
}

TEST(LargeGrid, counts_what_rounding_took_away_as_ref_does_on_every_instruction_set_at_any_thread_count) {
  for (const int64_t points : {20001, 1000}) {  // level by level, in tiles
    Form form = forms()[1];
    form.table = DType::f16;
    form.points = points;
    CaseProgram p = program_of(form);
    ASSERT_EQ(tiling_of(p), points > 1000 ? Tiling::none : Tiling::rows);
    const Dims& table = p.values[1].dims();
    p.values[1] = Tensor::from_f64(DType::f16, table, numbers(element_count(table), -2e-7, 2e-7, 1));
    const auto losses = [&](Device& device, int threads) {
      const ScopedThreadCount count(threads);
      const CaseRun run = start_case(p, device);
      ValueProbe probe(*p.program, {p.out[0].id});
      probe.begin(1, 0);
      EXPECT_TRUE(run.executable->run({}, &probe));
      return probe.look(0).losses;
    };
    const RoundingLosses right = losses(**make_device("ref"), 1), alone = losses(*make_cpu_device(Isa::scalar), 1);
    EXPECT_EQ(alone.rounded, right.rounded);
    EXPECT_GT(right.underflowed, right.rounded / 10);
    EXPECT_NEAR(static_cast<double>(alone.underflowed), static_cast<double>(right.underflowed), 10);
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512})
      for (const int threads : {1, 4}) {
        if (isa > detected_isa()) continue;
        const RoundingLosses made = losses(*make_cpu_device(isa), threads);
        EXPECT_EQ(made.rounded, alone.rounded) << name(isa) << ", " << threads << " threads";
        EXPECT_EQ(made.underflowed, alone.underflowed) << name(isa) << ", " << threads << " threads";
      }
  }
}

TEST(LargeGrid, stops_where_the_run_is_cancelled) {
  CaseProgram p = program_of(forms()[0]);
  const Instr& instr = p.program->instrs[0];
  const std::vector<bool> row_major(p.program->values.size(), false);
  const auto operand = [](const Value& v, std::byte* data) {
    return cpu::Operand{v.dtype, data, v.dims[0], v.dims[1]};
  };
  const std::atomic<bool> cancel = true;
  StepInputs step;
  step.cancel = &cancel;
  for (const Isa isa : {Isa::scalar, detected_isa()}) {
    auto kernel = cpu::make_kernel({*p.program, instr, cpu::simd_table(isa), 1, 1, row_major});
    ASSERT_TRUE(kernel);
    ASSERT_TRUE(kernel->whole);
    kernel->base().take_memory();
    std::vector<cpu::Operand> in;
    for (size_t k = 0; k < instr.in.size(); ++k)
      in.push_back(operand((*p.program)[instr.in[k]], p.values[k].as<std::byte>()));
    const Value& made = (*p.program)[instr.out[0]];
    constexpr auto kMark = std::byte{0xA5};
    std::vector<std::byte> memory(byte_count(made.dtype, element_count(made.dims)), kMark);
    const cpu::Operand out = operand(made, memory.data());
    kernel->whole->run({step, {}}, in.data(), &out);
    EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte b) { return b == kMark; })) << name(isa);
  }
}

}  // namespace
}  // namespace hw::test::large_grid_test
