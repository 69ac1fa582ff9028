// States in host memory: what the ref and cpu devices keep between runs.
#pragma once

#include <map>

#include "engine/backend/backend.h"

namespace hw {

class HostStates : public States {
 public:
  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return tensors_.contains(name); }
  size_t bytes(const std::string& name) const override;
  Tensor read(const std::string& name) const override;
  std::vector<double> sample(const std::string& name, std::span<const int64_t> places) const override;
  Status write(const std::string& name, const Tensor& tensor) override;
  void rename(const Renamed& names) override {
    rename_keys(tensors_, names);
    mark_written();
  }

  /// The state itself, stable as long as it is not replaced by put. Asserts that the name exists.
  Tensor& at(const std::string& name);
  /// Adds or replaces a state.
  void put(const std::string& name, Tensor tensor) {
    tensors_[name] = std::move(tensor);
    mark_written();
  }
  /// Changes with each write: results computed from states stay valid while it is the same. Call mark_written() after
  /// writing into the memory of at().
  uint64_t version() const { return version_; }
  void mark_written() { ++version_; }

 private:
  std::map<std::string, Tensor> tensors_;
  uint64_t version_ = 0;
};

/// Device::prepare_states for host devices; `states` must be null or HostStates. Throws std::bad_alloc.
/// Uniform values: element e takes lane e % 4 of philox_block(seed, Init::stream, 0, e / 4), as f32: (2u − 1) · a.
/// Normal values: pairs of elements as RandomAttr says, as f32, times a.
/// A view that is missing while its master is there is converted from it and not reported.
std::shared_ptr<HostStates> prepare_host_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                std::vector<std::string>* reinitialised);

}  // namespace hw
