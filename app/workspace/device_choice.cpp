#include "app/workspace/device_choice.h"

#include "engine/core/codes.h"
#include "engine/devices/back_ends.h"
#include "engine/devices/devices.h"
#include "engine/program/device_id.h"

namespace hw::workspace {
namespace {

/// The back end of GPUs that could have it: of "cuda", "cuda:0" … Null: none.
const BackEnd* gpu_back_end(const std::string& name) {
  const std::string id = canonical_device_id(name);
  for (const BackEnd& b : back_ends())
    if (b.ids && device_index(id, b.id)) return &b;
  return nullptr;
}

/// Why a GPU of this kind that is asked for is not here.
Error missing_gpu(const BackEnd& kind) {
  if (const auto none = kind.absent()) return *none;
  const size_t count = kind.ids().size();
  const std::string name = kind.id, first = name + ":0";
  return {codes::no_gpu, "",
          count == 1 ? "There is one GPU for " + name + "."
                     : "There are " + std::to_string(count) + " GPUs for " + name + ".",
          count == 1 ? "Choose " + first + "."
                     : "Choose one of " + first + " to " + name + ":" + std::to_string(count - 1) + "."};
}

}  // namespace

Result<std::shared_ptr<Device>> choose_device(const std::string& id, const std::string& asked) {
  auto device = make_device(id);
  if (device) return device;
  Error error = device.error();
  const BackEnd* gpus = gpu_back_end(id);
  if (error.code == codes::bad_usage && gpus) error = missing_gpu(*gpus);
  error.where = asked;
  return error;
}

Result<std::shared_ptr<Device>> choose_device(const std::string& id, const OptionNames& names) {
  return choose_device(id, by_option(names.device, id.empty() ? "\"\"" : id));
}

Diagnostic explained(Diagnostic d) {
  if (d.code != codes::no_device || d.got.empty() || has_device(canonical_device_id(d.got))) return d;
  const BackEnd* gpus = gpu_back_end(d.got);
  d.reason += " " + (gpus ? missing_gpu(*gpus).reason : "There is no such device.");
  return d;
}

}  // namespace hw::workspace
