// The list of devices. A back end registers by one row in kBackEnds.
#include "engine/backend/backend.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/ref/ref_device.h"
#include "engine/core/codes.h"

namespace hw {
namespace {

struct BackEnd {
  const char* id;
  std::shared_ptr<Device> (*make)();
};

// In the order they are offered.
constexpr BackEnd kBackEnds[] = {
    {"cpu", make_cpu_device},
    {"ref", make_ref_device},
};

}  // namespace

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const BackEnd& b : kBackEnds) ids.emplace_back(b.id);
  return ids;
}

Result<std::shared_ptr<Device>> make_device(const std::string& id) {
  std::string known;
  for (const BackEnd& b : kBackEnds) {
    if (id == b.id) return b.make();
    known += (known.empty() ? "" : ", ") + std::string(b.id);
  }
  return Error{codes::bad_usage, id, "There is no such device.", "Choose one of: " + known + "."};
}

}  // namespace hw
