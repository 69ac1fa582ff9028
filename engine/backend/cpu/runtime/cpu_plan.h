// A Program compiled for the cpu: what is decided before it runs. Steps, kernels, where each value lies, and the
// operands of each op on a tile.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/backend/cpu/kernels/pieces.h"
#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/backend/plan/memory_plan.h"

namespace hw::cpu {

/// An instruction of a tiled step with its operands: data is the whole value's, or an offset into scratch or strips.
struct TiledCall {
  size_t instr = 0;
  std::vector<Operand> in, out;
  std::vector<bool> in_rows;
  bool begins_once = false;  // what does not follow the rows is weight_values()
  size_t joined = 0;         // so many calls after it are computed on each part of its output (see joined_calls)
  std::vector<plan::Place> in_place, out_place;
  // Reductions only:
  ReductionPieces pieces;
  size_t partial_offset = 0;  // into the partial sums
  struct Gather {
    size_t input, scratch_offset;
  };
  std::vector<Gather> gathers;  // where a piece is put together: inputs in scratch whose tiles are smaller
};

struct TiledStep {
  std::vector<TiledCall> calls;
  size_t kernel_scratch_offset = 0;
};

/// An input that another executable makes.
struct SharedValue {
  std::byte* data;
  bool may_clear;  // and its maker keeps its outputs
};
using SharedValues = std::unordered_map<ValueId, SharedValue>;  // by input

/// Takes no memory for values, and does not change once it is bound to theirs.
class CpuPlan {
 public:
  /// `keep`: values that must stay readable after a run. Errors HW-R001, HW-R002, HW-A003.
  static Result<CpuPlan> make(std::shared_ptr<const Program> program, std::span<const ValueId> keep,
                              const SharedValues& shared, const SimdTable& simd);

  /// Gives the operands of tiled steps their addresses. `data`: of whole values, by ValueId.
  void bind(std::span<std::byte* const> data);

  const Program& program() const { return *program_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// For a step that is tiled.
  const TiledStep& tiled(size_t step) const { return tiled_[step]; }
  const Kernel& kernel(size_t instr) const { return kernels_[instr]; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const plan::MemoryPlan& memory() const { return memory_; }
  bool is_channels_last(ValueId v) const { return channels_last_[v]; }
  /// Whether any op writes a state.
  bool has_updates() const { return writes_states_; }
  /// A whole value as `rows` rows, without its address.
  Operand operand(ValueId v, int64_t rows) const;

  size_t scratch_bytes() const { return scratch_bytes_; }  // of each thread
  size_t strips_offset() const { return strips_offset_; }  // into the scratch, bytes
  size_t partial_bytes() const { return partial_bytes_; }  // partial sums of the step with most
  size_t temp_bytes() const { return temp_bytes_; }        // all but scratch

 private:
  explicit CpuPlan(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  Status make_kernels(const SimdTable& simd, std::span<const ValueId> keep);
  /// Sets memory_; what kernels and values of their own take goes into temp_bytes_.
  void plan_values(std::span<const ValueId> keep, const SharedValues& shared);
  /// Weight values with readers other than steps of weights.
  void keep_weight_values(std::vector<bool>& own, std::span<const ValueId> keep) const;
  void let_updates_clear(const std::vector<bool>& own, std::span<const ValueId> keep, const SharedValues& shared);
  /// Sets tiled_ and the sizes of scratch and partial sums.
  void plan_tiles();
  TiledCall tiled_call(const Step& step, size_t instr) const;
  /// How many calls after the one at `at` may be computed on a part of its output while another part is being made:
  /// pointwise ones that write nothing that the other part reads.
  size_t joined_calls(const Step& step, const std::vector<TiledCall>& calls, size_t at) const;
  /// Sets the calls' gathers, from `offset` into the scratch on; returns their bytes.
  size_t plan_gathers(const Step& step, TiledStep& tiled, size_t offset) const;

  std::shared_ptr<const Program> program_;
  std::vector<Step> steps_;
  std::vector<TiledStep> tiled_;  // beside steps_; empty for whole ops
  std::vector<Kernel> kernels_;   // by instruction
  plan::MemoryPlan memory_;
  std::vector<bool> channels_last_, weight_values_;  // by ValueId
  size_t scratch_bytes_ = 0, strips_offset_ = 0, partial_bytes_ = 0, temp_bytes_ = 0;
  bool writes_states_ = false;
};

/// The refusal of a device without memory for so many bytes of temporaries.
Error out_of_memory(const std::string& where, size_t bytes);

}  // namespace hw::cpu
