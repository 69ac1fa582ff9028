#include "engine/backend/gpu/gpu_device.h"

#include <new>

#include "engine/backend/gpu/gpu_executable.h"
#include "engine/core/codes.h"
#include "engine/program/check_sizes.h"
#include "engine/program/op_spec.h"

namespace hw::gpu {
namespace {

class GpuDevice : public Device {
 public:
  explicit GpuDevice(std::shared_ptr<Driver> driver) : context_(std::make_shared<DeviceContext>(std::move(driver))) {}

  std::string id() const override { return context_->driver->id(); }
  std::string description() const override { return context_->driver->description(); }
  bool supports(Op op, std::span<const DType> dtypes) const override { return takes_dtypes(op, dtypes); }

  std::optional<DeviceMemory> memory(const std::string& device, const States* states) override {
    if (device != id()) return std::nullopt;
    const auto* own = dynamic_cast<const GpuStates*>(states);
    const DeviceContext& context = own && own->device()->driver->id() == id() ? *own->device() : *context_;
    if (!context.usable()) return std::nullopt;
    auto memory = context.driver->memory();
    if (!memory) return std::nullopt;
    memory->free += context.pool->kept_bytes();
    return *memory;
  }

  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* reinitialised) override try {
    HW_CHECK(check_sizes(program));
    HW_TRY(auto own, own_states(states));
    HW_CHECK(own->prepare(program, seed, reinitialised));
    return std::shared_ptr<States>(std::move(own));
  } catch (const std::bad_alloc&) {
    return no_host_memory();
  }

  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep,
                                              std::span<const SharedInput> shared) override try {
    HW_CHECK(check_sizes(*program));
    HW_CHECK(load_data(*program));
    HW_TRY(auto own, own_states(states));
    return GpuExecutable::make(std::move(program), std::move(own), keep, shared);
  } catch (const std::bad_alloc&) {
    return no_host_memory();
  }

 private:
  /// States of the same GPU made by another Device keep that one's context, and what is made for them has it, too.
  Result<std::shared_ptr<GpuStates>> own_states(const std::shared_ptr<States>& states) const {
    if (!states) return std::make_shared<GpuStates>(context_);
    auto own = std::dynamic_pointer_cast<GpuStates>(states);
    if (!own || own->device()->driver->id() != id())
      return Error{codes::unsupported, id(), "The states are those of another device.", "Prepare them on this device."};
    HW_CHECK(own->device()->usable());
    return own;
  }
  Error no_host_memory() const {
    return {codes::out_of_memory, id(), "There is no memory on the host to prepare what goes to the GPU.",
            "Use a smaller model."};
  }

  std::shared_ptr<DeviceContext> context_;
};

}  // namespace

std::shared_ptr<Device> make_device_on(std::shared_ptr<Driver> driver) {
  return std::make_shared<GpuDevice>(std::move(driver));
}

TempBytes temp_bytes(const Program& program, bool fuses_elementwise) {
  const std::vector<bool> own(program.values.size(), false);
  const auto fused = fused_biases(program, {});
  std::vector<Region> regions;
  if (fuses_elementwise) regions = elementwise_regions(program, {}, fused);
  return {.values = plan::plan_memory(program, steps_of(program, fused, regions), {}, own).arena_bytes, .tiles = 0};
}

}  // namespace hw::gpu
