// Runs a plan: steps in order, the tiles of a step on the pool, each thread with its own scratch.
#pragma once

#include <optional>
#include <vector>

#include "engine/backend/cpu/runtime/cpu_plan.h"
#include "engine/backend/cpu/runtime/strips.h"
#include "engine/backend/cpu/runtime/value_memory.h"

namespace hw::cpu {

class CpuRunner {
 public:
  /// All three outlive it. `values` has its memory, and `plan` is bound to it, before run().
  CpuRunner(const CpuPlan& plan, const ValueMemory& values, HostStates& states)
      : plan_(plan), values_(values), states_(states), timings_(plan.program().instrs.size(), 0.0) {}

  /// Partial sums, and the scratch of one thread. Throws std::bad_alloc: `asked` says for what.
  void take_memory(Asked& asked);
  /// Errors HW-R001, HW-R004.
  Status run(const StepInputs& step, ValueProbe* probe);

  /// Seconds by instruction.
  const std::vector<double>& timings() const { return timings_; }
  void reset_timings() { timings_.assign(timings_.size(), 0.0); }
  /// Bytes of scratch, of all threads that have run.
  size_t scratch_bytes() const { return scratch_.size() * plan_.scratch_bytes(); }

 private:
  /// Grows the scratch to `threads` threads. Throws std::bad_alloc.
  void ensure_threads(int threads);
  Operand operand(ValueId v) const;
  void run_whole(const StepInputs& step, size_t instr, ValueProbe* probe);
  void run_tiled(const StepInputs& inputs, size_t step_index, bool same_weights, ValueProbe* probe);
  /// An operand as `tile` sees it. `rows`: it follows them.
  Operand at_tile(Operand whole, const Tile& tile, bool rows, plan::Place place, size_t thread) const;
  std::vector<StripCall> strip_calls(size_t step_index, const plan::Region& region, const Tile& tile,
                                     size_t thread) const;
  /// The call at `at` and those joined to it.
  void run_joined(size_t step_index, size_t at, const Tile& tile, size_t thread);
  void run_region(size_t step_index, const plan::Region& region, const Tile& tile, size_t thread);
  /// `calls` of the step's calls, from `first_call` on.
  void run_chunk(const StepInputs& inputs, size_t step_index, int64_t chunk, size_t first_call, size_t calls,
                 size_t thread, ValueProbe* probe);
  /// Sums the pieces that end in the tile. `in`: the operands at the tile; changed.
  void run_reduction(const TiledCall& call, const Tile& tile, int64_t all_rows, std::byte* scratch,
                     std::vector<Operand>& in);
  void look_at_states(ValueProbe& probe) const;

  const CpuPlan& plan_;
  const ValueMemory& values_;
  HostStates& states_;
  std::vector<HugeBuffer> scratch_;       // by thread
  std::vector<std::byte*> scratch_data_;  // their memory
  HugeBuffer partials_;
  std::vector<double> timings_;
  std::vector<std::vector<double>> thread_timings_;  // by thread, then instruction, of the step that runs
  std::vector<double> probe_seconds_;                // by thread, of the step that runs
  std::optional<uint64_t> weights_version_;          // of the states that the weight values are made of
};

}  // namespace hw::cpu
