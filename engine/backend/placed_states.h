// States of a program whose nodes run on several devices: each lives on one of them.
#pragma once

#include <map>
#include <set>

#include "engine/backend/backend.h"
#include "engine/backend/placement.h"

namespace hw {

class PlacedStates : public States {
 public:
  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return placements_.contains(name); }
  size_t bytes(const std::string& name) const override { return part_of(name).bytes(name); }
  std::string memory_device(const std::string& name) const override { return part_of(name).memory_device(name); }
  Tensor read(const std::string& name) const override { return part_of(name).read(name); }
  std::vector<double> sample(const std::string& name, std::span<const int64_t> places) const override {
    return part_of(name).sample(name, places);
  }
  Status write(const std::string& name, const Tensor& tensor) override;
  void rename(const Renamed& names) override;

  const StatePlacements& placements() const { return placements_; }
  /// The states on one device; null: there never were any.
  std::shared_ptr<States> part(const std::string& device) const;
  /// Takes over all states of one device, which stay there.
  void adopt(const std::string& device, std::shared_ptr<States> states);
  /// Device::prepare_states: states that live elsewhere than `placements` says move there with their values, where
  /// dtype and sizes are the program's; else they are made anew. What they took where they were is not given back
  /// before the device's States are.
  Status prepare(const Program& program, const StatePlacements& placements,
                 const std::function<Result<std::shared_ptr<Device>>(const std::string&)>& device, uint64_t seed,
                 std::vector<std::string>* reinitialised);
  /// How often a state changed: a copy elsewhere of another version is stale. None: it is not known, since whoever had
  /// an adopted state may write it, too.
  std::optional<uint64_t> version(const std::string& name) const;
  void changed(const std::string& name) { ++versions_[name]; }

 private:
  States& part_of(const std::string& name) const;
  std::map<std::string, std::shared_ptr<States>> parts_;  // by device
  StatePlacements placements_;
  std::set<std::string> adopted_;  // names
  std::map<std::string, uint64_t> versions_;
};

}  // namespace hw
