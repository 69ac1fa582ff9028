#include "engine/backend/cuda/cuda_device.h"

#include <charconv>
#include <new>

#include "engine/backend/cuda/cuda_executable.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/core/codes.h"
#include "engine/program/check_sizes.h"
#include "engine/program/op_spec.h"

namespace hw::cuda {
namespace {

class CudaDevice : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<Driver> driver) : context_(std::make_shared<DeviceContext>(std::move(driver))) {}

  std::string id() const override { return context_->driver->id(); }
  std::string description() const override { return context_->driver->description(); }
  bool supports(Op op, std::span<const DType> dtypes) const override { return takes_dtypes(op, dtypes); }

  std::optional<DeviceMemory> memory(const std::string& device, const States* states) override {
    if (device != id()) return std::nullopt;
    const auto* own = dynamic_cast<const CudaStates*>(states);
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
    return CudaExecutable::make(std::move(program), std::move(own), keep, shared);
  } catch (const std::bad_alloc&) {
    return no_host_memory();
  }

 private:
  /// States of the same GPU made by another Device keep that one's context, and what is made for them has it, too.
  Result<std::shared_ptr<CudaStates>> own_states(const std::shared_ptr<States>& states) const {
    if (!states) return std::make_shared<CudaStates>(context_);
    auto own = std::dynamic_pointer_cast<CudaStates>(states);
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
  return std::make_shared<CudaDevice>(std::move(driver));
}

static Result<size_t> index_of(const std::string& id) {
  size_t index = 0;
  const char *begin = id.data() + id.find(':') + 1, *end = id.data() + id.size();
  const auto [stop, failed] = std::from_chars(begin, end, index);
  if (id.starts_with("cuda:") && failed == std::errc() && stop == end) return index;
  return Error{codes::bad_usage, id, "There is no such device.", "Choose cuda:0, cuda:1 and so on."};
}

Result<std::shared_ptr<Device>> make_cuda_device(const std::string& id) {
  HW_TRY(const size_t index, index_of(id));
  HW_TRY(const std::vector<Gpu> all, gpus());
  if (index >= all.size())
    return Error{codes::bad_usage, id, "GPUs here: " + std::to_string(all.size()) + ".",
                 "Choose one of cuda:0 to cuda:" + std::to_string(all.size() - 1) + "."};
  HW_TRY(auto driver, make_driver(index));
  return make_device_on(std::move(driver));
}

size_t resident_bytes(const std::string& id) {
  const auto index = index_of(id);
  const Result<std::vector<Gpu>>& all = gpus();
  return index && all && *index < all->size() ? (*all)[*index].resident_bytes() : ~size_t{0};
}

TempBytes temp_bytes(const Program& program) {
  const std::vector<bool> own(program.values.size(), false);
  return {.values = plan::plan_memory(program, steps_of(program, fused_biases(program, {})), {}, own).arena_bytes,
          .tiles = 0};
}

}  // namespace hw::cuda
