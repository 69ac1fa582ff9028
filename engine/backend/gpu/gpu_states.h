// States in device memory.
#pragma once

#include <map>

#include "engine/backend/gpu/device_context.h"

namespace hw::gpu {

class GpuStates : public States {
 public:
  explicit GpuStates(std::shared_ptr<DeviceContext> device) : device_(std::move(device)) {}

  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return states_.contains(name); }
  size_t bytes(const std::string& name) const override;
  std::string memory_device(const std::string&) const override { return device_->driver->id(); }
  /// When the GPU has failed, NaN in formats that have it, else zeros: the interface has no error, and what is not
  /// finite is taken for neither weights nor a checkpoint.
  Tensor read(const std::string& name) const override;
  /// Gathers them on the GPU; when it has failed as read's.
  std::vector<double> sample(const std::string& name, std::span<const int64_t> places) const override;
  Status write(const std::string& name, const Tensor& tensor) override;
  void rename(const Renamed& names) override { rename_keys(states_, names); }

  /// The memory of an existing state. Whoever uses it holds it: prepare may put another in its place.
  std::shared_ptr<Buffer> memory(const std::string& name) const { return states_.at(name).memory; }
  /// Whether there is such a state with the value's dtype and sizes.
  bool fits(const Value& value) const;
  /// What their memory belongs to.
  const std::shared_ptr<DeviceContext>& device() const { return device_; }

  /// Device::prepare_states for this store. A failure leaves the states as they were.
  Status prepare(const Program& program, uint64_t seed, std::vector<std::string>* reinitialised);

 private:
  struct State {
    DType dtype;
    Dims dims;
    std::shared_ptr<Buffer> memory;
  };
  Status gather(const State& state, const std::string& name, std::span<const int64_t> places, Tensor& chosen) const;
  Result<State> make(const std::string& name, const Tensor& tensor) const;

  std::shared_ptr<DeviceContext> device_;
  std::map<std::string, State> states_;
};

}  // namespace hw::gpu
