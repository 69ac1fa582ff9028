// A program on a GPU: its values in one block of device memory, its instructions as launches.
#pragma once

#include "engine/backend/gpu/fused_bias.h"
#include "engine/backend/gpu/gpu_states.h"
#include "engine/backend/gpu/host_batches.h"
#include "engine/backend/gpu/levels.h"
#include "engine/backend/gpu/op_context.h"
#include "engine/backend/plan/memory_plan.h"

namespace hw::gpu {

class GpuExecutable : public Executable {
 public:
  /// On the device of `states`.
  static Result<std::unique_ptr<Executable>> make(std::shared_ptr<const Program> program,
                                                  std::shared_ptr<GpuStates> states, std::span<const ValueId> keep,
                                                  std::span<const SharedInput> shared);

  Status write_input(const std::string& name, const Tensor& tensor) override;
  /// A copy on the device, where `from` has its values in the same memory.
  Status take_input(const std::string& name, const Executable& from, ValueId value) override;
  /// The first two runs, the first after reset_timings, and each after kTimedEvery replays time every instruction and
  /// wait for the GPU at the end; others replay it as a whole and wait for none but the kAhead-th run before, and their
  /// time is shared out as it was then. The very first run, which also loads kernels, counts as what the second takes.
  /// Where the driver cannot record, every run is launched and timed by instruction. Where a probe looks nothing is
  /// replayed and values are read back one by one; what rounding lost is seen where a master stands beside its view,
  /// and where an op counts it.
  Status run(const StepInputs& step, ValueProbe* probe) override;
  static constexpr size_t kAhead = 4;
  static constexpr size_t kTimedEvery = 1000;
  bool is_asynchronous() const override { return true; }
  /// A copy on the device. Queued values are read back in one go, when they are taken or kReadbackBytes are full.
  Status queue_readback(ValueId value) override;
  Result<std::vector<Tensor>> take_readbacks() override;
  static constexpr size_t kReadbackBytes = size_t{64} << 10;
  Result<Tensor> read(ValueId value) const override;
  const std::vector<double>& timings() const override {
    wait_for_replays(0);
    return timings_;
  }
  void reset_timings() override {
    wait_for_replays(0);
    timings_.assign(timings_.size(), 0.0);
    timed_ = false;
    cold_ = false;
  }
  KernelInfo kernel_info(size_t instr) const override { return infos_[instr]; }
  size_t temp_bytes() const override { return temp_bytes_; }
  std::optional<DeviceWork> device_work() const override { return work_; }

  ~GpuExecutable() override;

 private:
  class Memory;

  GpuExecutable(std::shared_ptr<const Program> program, std::shared_ptr<GpuStates> states)
      : device_(states->device()), program_(std::move(program)), states_(std::move(states)), host_batches_(device_) {}

  /// Finds out what is needed, takes it, and makes the launches.
  Status prepare(std::span<const ValueId> keep, std::span<const SharedInput> shared);
  Status check_states() const;
  Status place_values(const plan::MemoryPlan& memory_plan, std::span<const SharedInput> shared);
  Status plan_instructions(Memory& memory);
  Status plan_instruction(Memory& memory, size_t instr);
  /// The kernels of regions_; those that have none are left out.
  void plan_regions();
  /// The region that the instruction is of; null: none.
  const Region* region_of(size_t instr) const;
  /// What an instruction touches where no probe looks.
  Piece piece_of(size_t instr) const;
  /// The launches of an instruction. `looked_at`: a probe observes values, so no product adds a bias.
  const std::vector<Launch>& launches(size_t instr, bool looked_at) const;
  Status launch_all(const StepInputs& step, ValueProbe* probe);
  /// In a recording, where no probe looks.
  Status launch_by_levels();
  /// DeviceWork::spared: of regions, and of products that add a bias.
  size_t spared_bytes() const;
  /// What a region takes is shared out in shares_.
  void share_in_regions();
  Status prefetch_after(const StepInputs& step);
  /// False: the driver cannot.
  Result<bool> record();
  Status replay(const StepInputs& step);
  /// What kernels read of the step, after the runs before.
  Status write_step(const StepInputs& step);
  /// Waits until at most so many replays are under way, and shares out the time of those that ended.
  void wait_for_replays(size_t most) const;
  /// The place of the first of the two marks of a replay.
  size_t mark_of(size_t replay) const { return first_mark_ + launches_.size() + 1 + 2 * (replay % kAhead); }
  /// What ran for an instruction that asked for products since `before`.
  void note_products(size_t instr, const ProductCounts& before);
  Status fetch_readbacks();
  Status look(ValueProbe& probe, size_t instr);
  Status look_at_states(ValueProbe& probe);
  /// The input of that name, for which dtype and sizes have to be right.
  Result<ValueId> input(const std::string& name, DType dtype, const Dims& dims) const;
  /// Whether there is something to read.
  Status check_readable(ValueId value) const;
  /// A copy in host memory.
  Result<Tensor> fetch(ValueId value) const;
  /// The same on the probe's account.
  Result<Tensor> fetch_for(ValueProbe& probe, ValueId value) const;
  const std::string& node_of(size_t instr) const { return program_->nodes[program_->instrs[instr].node]; }

  std::shared_ptr<DeviceContext> device_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<GpuStates> states_;
  std::vector<void*> data_;  // by value; null: no reader
  Buffer arena_, scratch_, step_;
  std::vector<Buffer> own_;  // inputs, constants, what kernels keep
  HostBatches host_batches_;
  std::vector<std::shared_ptr<Buffer>> held_states_;
  std::vector<std::optional<FusedBias>> fused_;
  std::vector<Region> regions_;
  std::vector<std::vector<Launch>> launches_, with_bias_;  // with_bias_: of products that add one
  std::vector<std::vector<Launch>> of_regions_;            // by region
  /// The counts of an op that counts what it loses as it stores.
  struct LossCount {
    std::vector<Launch> launches;
    const double* counts = nullptr;  // in device memory: as RoundingLosses
  };
  std::vector<LossCount> loss_counts_;
  std::vector<KernelInfo> infos_;
  mutable std::vector<double> timings_;
  std::vector<double> shares_;  // of the last run that was timed; the ops of a region have equal ones
  std::unique_ptr<Recording> recording_;
  std::optional<DeviceWork> work_;  // of the recording
  size_t temp_bytes_ = 0;
  std::vector<size_t> scratch_bytes_;  // by instruction
  Levels levels_;                      // of the recording
  bool one_by_one_ = false;            // levels_ do not hold all launches
  bool ran_ = false, timed_ = false;
  bool cold_ = false;           // timings_ are those of the very first run alone
  bool cannot_record_ = false;  // a recording failed, and launches work
  size_t untimed_ = 0;          // replays since a run was timed
  void* steps_ = nullptr;       // pinned: the numbers of kAhead steps in turn
  size_t replays_ = 0;
  size_t first_mark_ = 0;     // before each instruction and after the last, then two for each replay that is ahead
  mutable size_t ended_ = 0;  // of the replays
  Buffer readback_memory_;
  std::vector<std::pair<ValueId, size_t>> readback_at_;  // what lies there, and its first byte
  size_t readback_bytes_ = 0;
};

}  // namespace hw::gpu
