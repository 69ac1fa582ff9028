#include "engine/devices/devices.h"

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

Result<std::shared_ptr<Device>> make_device(const std::string& id) {
  HW_TRY(std::shared_ptr<Device> base, make_single_device(id));
  return make_placed_device(std::move(base), make_single_device);
}

}  // namespace hw
