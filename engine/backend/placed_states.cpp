#include "engine/backend/placed_states.h"

#include <algorithm>
#include <cassert>

#include "engine/core/codes.h"

namespace hw {
namespace {

/// The states of `program` that live on `device`, for its prepare_states.
Program part_for(const Program& program, const StatePlacements& placements, const std::string& device) {
  Program part;
  part.values.resize(program.values.size());
  const auto here = [&](ValueId v) {
    return program[v].storage == Storage::state && placements.at(program[v].name) == device;
  };
  for (ValueId v = 0; v < program.values.size(); ++v) {
    if (here(v))
      part.values[v] = program[v];
    else
      part.values[v].dims = {0};
  }
  for (const Param& param : program.params)
    if (here(param.view)) part.params.push_back(param);
  return part;
}

}  // namespace

std::vector<std::string> PlacedStates::names() const {
  std::vector<std::string> all;
  for (const auto& [name, place] : placements_) all.push_back(name);
  return all;
}

States& PlacedStates::part_of(const std::string& name) const {
  assert(placements_.contains(name));
  return *parts_.at(placements_.at(name));
}

Status PlacedStates::write(const std::string& name, const Tensor& tensor) {
  if (!has(name))
    return Error{codes::weights_mismatch, name, "There is no such parameter or state.", "Check the name."};
  changed(name);
  return part_of(name).write(name, tensor);
}

void PlacedStates::rename(const Renamed& names) {
  for (const auto& [device, states] : parts_) states->rename(names);
  rename_keys(placements_, names);
  rename_keys(versions_, names);
  std::set<std::string> adopted;
  for (const std::string& name : adopted_) {
    const auto now = names.find(name);
    adopted.insert(now == names.end() ? name : now->second);
  }
  adopted_ = std::move(adopted);
}

std::shared_ptr<States> PlacedStates::part(const std::string& device) const {
  const auto it = parts_.find(device);
  return it == parts_.end() ? nullptr : it->second;
}

void PlacedStates::adopt(const std::string& device, std::shared_ptr<States> states) {
  for (const std::string& name : states->names()) placements_[name] = device, adopted_.insert(name);
  parts_[device] = std::move(states);
}

Status PlacedStates::prepare(const Program& program, const StatePlacements& placements,
                             const std::function<Result<std::shared_ptr<Device>>(const std::string&)>& device,
                             uint64_t seed, std::vector<std::string>* reinitialised) {
  std::map<std::string, Tensor> moving;
  std::set<std::string> lost;  // what the new place may have of them is from an earlier stay
  for (const Value& value : program.values) {
    if (value.storage != Storage::state || !has(value.name) || placements_.at(value.name) == placements.at(value.name))
      continue;
    Tensor there = read(value.name);
    adopted_.erase(value.name);
    if (there.dtype() == value.dtype && there.dims() == value.dims)
      moving.emplace(value.name, std::move(there));
    else
      lost.insert(value.name);
  }
  std::set<std::string> used;
  for (const auto& [name, place] : placements) used.insert(place);
  std::vector<std::string> made;
  for (const std::string& id : used) {
    HW_TRY(const std::shared_ptr<Device> on, device(id));
    const Program own = part_for(program, placements, id);
    HW_TRY(parts_[id], on->prepare_states(own, part(id), seed, &made));
    for (const std::string& name : made) lost.erase(name);
    if (std::ranges::none_of(lost, [&](const std::string& name) { return placements.at(name) == id; })) continue;
    HW_TRY(const std::shared_ptr<States> anew, on->prepare_states(own, nullptr, seed, nullptr));
    for (const std::string& name : lost) {
      if (placements.at(name) != id) continue;
      HW_CHECK(parts_[id]->write(name, anew->read(name)));
      made.push_back(name);
    }
  }
  for (const auto& [name, place] : placements) {
    if (const auto [it, fresh] = placements_.insert_or_assign(name, place); fresh) changed(it->first);
  }
  for (const std::string& name : made) {
    changed(name);
    if (reinitialised && !moving.contains(name)) reinitialised->push_back(name);
  }
  for (const auto& [name, tensor] : moving) HW_CHECK(write(name, tensor));
  return ok();
}

std::optional<uint64_t> PlacedStates::version(const std::string& name) const {
  if (adopted_.contains(name)) return std::nullopt;
  const auto it = versions_.find(name);
  return it == versions_.end() ? uint64_t{0} : it->second;
}

}  // namespace hw
