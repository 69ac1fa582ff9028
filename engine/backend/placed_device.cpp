// The device that everything asks for: one device, and others for the nodes that have their own.
#include <new>

#include "engine/backend/placed_executable.h"
#include "engine/core/codes.h"

namespace hw {
namespace {

class PlacedDevice : public Device {
 public:
  using Others = std::function<Result<std::shared_ptr<Device>>(const std::string&)>;
  PlacedDevice(std::shared_ptr<Device> base, Others others) : base_(std::move(base)), others_(std::move(others)) {}

  std::string id() const override { return base_->id(); }
  std::string description() const override { return base_->description(); }
  bool supports(Op op, std::span<const DType> dtypes) const override { return base_->supports(op, dtypes); }
  std::optional<DeviceMemory> memory(const std::string& device, const States* states) override {
    const auto on = find(device);
    if (!on) return std::nullopt;
    if (const auto* placed = dynamic_cast<const PlacedStates*>(states))
      return (*on)->memory(device, placed->part(device).get());
    return (*on)->memory(device, device == id() ? states : nullptr);
  }

  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* reinitialised) override try {
    auto placed = std::dynamic_pointer_cast<PlacedStates>(states);
    if (!placed && !is_pinned(program, id()))
      return base_->prepare_states(program, std::move(states), seed, reinitialised);
    HW_CHECK(check_devices(program));
    if (!placed) {
      placed = std::make_shared<PlacedStates>();
      if (states) placed->adopt(id(), std::move(states));
    }
    const StatePlacements placements = placements_of(program, id(), placed->placements());
    HW_CHECK(check_segments(program, id(), placements));
    HW_CHECK(placed->prepare(program, placements, finder(), seed, reinitialised));
    return std::shared_ptr<States>(std::move(placed));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep,
                                              std::span<const SharedInput> shared) override try {
    auto placed = std::dynamic_pointer_cast<PlacedStates>(states);
    if (!placed && !is_pinned(*program, id()))
      return base_->compile(std::move(program), std::move(states), keep, shared);
    HW_CHECK(check_devices(*program));
    if (!placed) {
      placed = std::make_shared<PlacedStates>();
      if (states) placed->adopt(id(), std::move(states));
    }
    return PlacedExecutable::make(std::move(program), std::move(placed), id(), finder(), keep, shared);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }

 private:
  static Error out_of_memory() {
    return {codes::out_of_memory, "", "There is no memory for the values that go between devices.",
            "Use fewer points a step, or let more nodes run on one device."};
  }

  /// The device with an id, made once.
  Result<std::shared_ptr<Device>> find(const std::string& id) {
    if (id == base_->id()) return base_;
    std::shared_ptr<Device>& device = made_[id];
    if (!device) {
      HW_TRY(device, others_(id));
    }
    return device;
  }
  PlacedExecutable::FindDevice finder() {
    return [this](const std::string& id) { return find(id); };
  }

  /// Names the node whose device cannot be used.
  Status check_devices(const Program& program) {
    for (size_t k = 0; k < program.devices.size(); ++k) {
      if (program.devices[k].empty()) continue;
      const auto device = find(program.devices[k]);
      if (device) continue;
      return Error{codes::no_device, program.nodes[k],
                   "it runs on " + program.devices[k] + ", which cannot be used here: " + device.error().reason,
                   "Let it run on the graph's device. " + device.error().remedy};
    }
    return ok();
  }

  const std::shared_ptr<Device> base_;
  const Others others_;
  std::map<std::string, std::shared_ptr<Device>> made_;
};

}  // namespace

std::shared_ptr<Device> make_placed_device(
    std::shared_ptr<Device> base, std::function<Result<std::shared_ptr<Device>>(const std::string& id)> others) {
  return std::make_shared<PlacedDevice>(std::move(base), std::move(others));
}

}  // namespace hw
