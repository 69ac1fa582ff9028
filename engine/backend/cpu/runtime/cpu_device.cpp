#include "engine/backend/cpu/runtime/cpu_device.h"

#include <new>

#include "engine/backend/cpu/runtime/cpu_executable.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/program/check_sizes.h"
#include "engine/program/op_spec.h"

namespace hw {
namespace {

class CpuDevice : public Device {
 public:
  explicit CpuDevice(Isa isa) : simd_(cpu::simd_table(isa)) {}

  std::string id() const override { return "cpu"; }
  std::string description() const override {
    const int threads = thread_count();
    return "CPU, " + std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ") +
           std::string(name(simd_.isa));
  }
  bool supports(Op op, std::span<const DType> dtypes) const override { return takes_dtypes(op, dtypes); }

  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* reinitialised) override {
    HW_CHECK(check_sizes(program));
    try {
      return std::shared_ptr<States>(prepare_host_states(program, std::move(states), seed, reinitialised));
    } catch (const std::bad_alloc&) {
      return Error{codes::out_of_memory, "", "There is no memory for the parameters and the optimiser's state.",
                   "Use a smaller model."};
    }
  }

  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep,
                                              std::span<const SharedInput> shared) override {
    HW_CHECK(check_sizes(*program));
    HW_CHECK(load_data(*program));
    auto host = std::dynamic_pointer_cast<HostStates>(std::move(states));
    if (!host) host = std::make_shared<HostStates>();
    return cpu::CpuExecutable::make(std::move(program), std::move(host), keep, shared, simd_);
  }

 private:
  const cpu::SimdTable& simd_;
};

}  // namespace

TempBytes cpu::temp_bytes(const Program& program) {
  // Also what cannot be counted is refused when it is compiled.
  try {
    if (const auto found = CpuExecutable::estimate(program, simd_table(best_isa()))) return *found;
  } catch (const std::bad_alloc&) {
  }
  const std::vector<bool> own(program.values.size(), false);
  return {plan::plan_memory(program, schedule(program), {}, own).arena_bytes, 0};
}

std::shared_ptr<Device> make_cpu_device(Isa isa) {
  return std::make_shared<CpuDevice>(isa);
}

std::shared_ptr<Device> make_cpu_device() {
  return make_cpu_device(best_isa());
}

}  // namespace hw
