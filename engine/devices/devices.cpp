#include "engine/devices/devices.h"

#include <algorithm>

#include "engine/devices/back_ends.h"
#include "engine/program/device_id.h"

namespace hw {
namespace {

Result<std::shared_ptr<Device>> make_single_device(const std::string& name) {
  const std::string id = canonical_device_id(name);
  HW_TRY(const BackEnd* found, find_back_end(id));
  return found->make(id);
}

}  // namespace

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const BackEnd& b : back_ends()) {
    const std::vector<std::string> own = b.ids ? b.ids() : std::vector<std::string>{b.id};
    ids.insert(ids.end(), own.begin(), own.end());
  }
  return ids;
}

bool has_device(const std::string& id) {
  for (const BackEnd& b : back_ends()) {
    if (!b.ids && id == b.id) return true;
    if (!b.ids || !id.starts_with(std::string(b.id) + ":")) continue;
    const std::vector<std::string> own = b.ids();
    return std::ranges::find(own, id) != own.end();
  }
  return false;
}

std::string default_device_id() {
  return back_ends().front().id;
}

std::string device_name(const std::string& id) {
  for (const BackEnd& b : back_ends())
    if (const auto index = b.name ? device_index(id, b.id) : std::nullopt) return b.name(*index);
  return "";
}

std::vector<std::pair<std::string, Error>> absent_devices() {
  std::vector<std::pair<std::string, Error>> list;
  for (const BackEnd& b : back_ends())
    if (const auto why = b.absent ? b.absent() : std::nullopt) list.emplace_back(b.id, *why);
  return list;
}

Result<std::shared_ptr<Device>> make_device(const std::string& id) {
  HW_TRY(std::shared_ptr<Device> base, make_single_device(id));
  return make_placed_device(std::move(base), make_single_device);
}

}  // namespace hw
