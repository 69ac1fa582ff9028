// A compiled Program on the cpu: steps, kernels, memory.
#pragma once

#include <memory>
#include <vector>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/backend/cpu/kernels/pieces.h"
#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/backend/cpu/runtime/strips.h"
#include "engine/backend/host_states.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/backend/temp_bytes.h"
#include "engine/core/huge_buffer.h"

namespace hw::cpu {

class CpuExecutable : public Executable {
 public:
  /// Errors HW-R001, HW-R002, HW-A003.
  static Result<std::unique_ptr<Executable>> make(std::shared_ptr<const Program> program,
                                                  std::shared_ptr<HostStates> states, std::span<const ValueId> keep,
                                                  std::span<const SharedInput> shared, const SimdTable& simd);

  /// What an executable of `program` would take: its kernels are made and freed again, no value is allocated. Errors as
  /// make's.
  static Result<TempBytes> estimate(const Program& program, const SimdTable& simd);

  Status write_input(const std::string& name, const Tensor& tensor) override;
  Status run(const StepInputs& step, ValueProbe* probe) override;
  Result<Tensor> read(ValueId value) const override;
  const std::vector<double>& timings() const override { return timings_; }
  void reset_timings() override { timings_.assign(timings_.size(), 0.0); }
  KernelInfo kernel_info(size_t instr) const override { return kernels_[instr].base().kernel_info; }
  size_t temp_bytes() const override { return temp_bytes_; }

 private:
  CpuExecutable(std::shared_ptr<const Program> program, std::shared_ptr<HostStates> states)
      : program_(std::move(program)), states_(std::move(states)) {}

  Status make_kernels(const SimdTable& simd, std::span<const ValueId> keep);
  void share(std::span<const SharedInput> inputs);
  Status make_memory(std::span<const ValueId> keep);
  /// Sets plan_; what kernels and values of their own take goes into temp_bytes_.
  void plan_values(std::span<const ValueId> keep);
  /// Weight values with readers other than steps of weights.
  void keep_weight_values(std::vector<bool>& own, std::span<const ValueId> keep) const;
  void let_updates_clear(const std::vector<bool>& own, std::span<const ValueId> keep);
  void place_values();
  /// Sets tiled_ and the sizes of scratch and partial sums; takes neither.
  void plan_scratch();
  /// Grows the scratch to `threads` threads. Throws std::bad_alloc.
  void ensure_threads(int threads);

  /// An instruction of a tiled step with its operands: data is the whole value's, or an offset into scratch
  /// or strips.
  struct TiledCall {
    size_t instr = 0;
    std::vector<Operand> in, out;
    std::vector<bool> in_rows;
    bool begins_once = false;  // what does not follow the rows is weight_values()
    size_t joined = 0;         // so many calls after it are computed on each part of its output (see joined_calls)
    std::vector<plan::Place> in_place, out_place;
    // Reductions only:
    ReductionPieces pieces;
    size_t partial_offset = 0;  // into partials_
    struct Gather {
      size_t input, scratch_offset;
    };
    std::vector<Gather> gathers;  // where a piece is put together: inputs in scratch whose tiles are smaller
  };
  struct TiledStep {
    std::vector<TiledCall> calls;
    size_t kernel_scratch_offset = 0;
  };

  TiledCall tiled_call(const Step& step, size_t instr) const;
  /// How many calls after the one at `at` may be computed on a part of its output while another part is being made:
  /// pointwise ones that write nothing that the other part reads.
  size_t joined_calls(const Step& step, const std::vector<TiledCall>& calls, size_t at) const;
  /// Sets the calls' gathers, from `offset` into the scratch on; returns their bytes.
  size_t plan_gathers(const Step& step, TiledStep& tiled, size_t offset) const;
  Operand operand(ValueId v, int64_t rows) const;
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

  std::shared_ptr<const Program> program_;
  std::shared_ptr<HostStates> states_;
  std::vector<Step> steps_;
  std::vector<TiledStep> tiled_;  // beside steps_; empty for whole ops
  std::vector<Kernel> kernels_;   // by instruction
  struct Shared {
    std::byte* data;
    bool may_clear;  // and its maker keeps its outputs
  };
  std::unordered_map<ValueId, Shared> shared_;  // inputs
  plan::MemoryPlan plan_;
  std::vector<bool> channels_last_;  // by ValueId
  std::vector<std::byte*> data_;     // whole values by ValueId; null: in scratch or nowhere
  std::vector<Tensor> held_;         // other inputs, constants and states, so that their memory stays
  HugeBuffer arena_;
  std::vector<HugeBuffer> own_;
  std::vector<HugeBuffer> scratch_;       // by thread
  std::vector<std::byte*> scratch_data_;  // their memory
  HugeBuffer partials_;
  size_t strips_offset_ = 0;  // into each scratch_
  size_t scratch_bytes_ = 0, partial_bytes_ = 0, temp_bytes_ = 0;
  std::vector<double> timings_;                      // seconds by instruction
  std::vector<std::vector<double>> thread_timings_;  // by thread, then instruction, of the step that runs
  std::vector<double> probe_seconds_;                // by thread, of the step that runs
  bool ran_ = false;
  bool writes_states_ = false;
  std::vector<bool> weight_values_;
  std::optional<uint64_t> weights_version_;  // of the states that the weight values are made of
};

}  // namespace hw::cpu
