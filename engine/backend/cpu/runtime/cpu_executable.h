// A compiled Program on the cpu: its plan, the memory of its values, and what runs it.
#pragma once

#include "engine/backend/cpu/runtime/cpu_plan.h"
#include "engine/backend/cpu/runtime/cpu_runner.h"
#include "engine/backend/cpu/runtime/value_memory.h"
#include "engine/backend/temp_bytes.h"

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
  const std::vector<double>& timings() const override { return runner_.timings(); }
  void reset_timings() override { runner_.reset_timings(); }
  KernelInfo kernel_info(size_t instr) const override { return plan_.kernel(instr).base().kernel_info; }
  size_t temp_bytes() const override { return plan_.temp_bytes() + runner_.scratch_bytes(); }

 private:
  CpuExecutable(CpuPlan plan, std::shared_ptr<HostStates> states)
      : plan_(std::move(plan)), states_(std::move(states)), runner_(plan_, values_, *states_) {}

  Status take_memory(const SharedValues& shared);

  CpuPlan plan_;
  std::shared_ptr<HostStates> states_;
  ValueMemory values_;
  CpuRunner runner_;
  bool ran_ = false;
};

}  // namespace hw::cpu
