#include "engine/devices/back_ends.h"

#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/backend/gpu/gpu_device.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/backend/ref/ref_device.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"

namespace hw {
namespace {

std::vector<std::string> gpu_ids() {
  std::vector<std::string> ids;
  if (const auto gpus = cuda::gpus())
    for (size_t i = 0; i < gpus->size(); ++i) ids.push_back("cuda:" + std::to_string(i));
  return ids;
}

const BackEnd kBackEnds[] = {
    {"cpu", [](const std::string&) -> Result<std::shared_ptr<Device>> { return make_cpu_device(); }, cpu::temp_bytes,
     nullptr, nullptr},
    {"ref", [](const std::string&) -> Result<std::shared_ptr<Device>> { return make_ref_device(); }, all_temp_bytes,
     nullptr, nullptr},
    {"cuda", cuda::make_cuda_device, gpu::temp_bytes, gpu_ids, cuda::resident_bytes},
};

}  // namespace

std::span<const BackEnd> back_ends() {
  return kBackEnds;
}

Result<const BackEnd*> find_back_end(const std::string& id) {
  for (const BackEnd& b : kBackEnds)
    if (b.ids ? id.starts_with(std::string(b.id) + ":") : id == b.id) return &b;
  std::string known;
  for (const std::string& one : device_ids()) known += (known.empty() ? "" : ", ") + one;
  return Error{codes::bad_usage, id, "There is no such device.", "Choose one of: " + known + "."};
}

TempBytes all_temp_bytes(const Program& program) {
  TempBytes bytes;
  for (const Value& value : program.values) {
    if (value.storage == Storage::temp) bytes.values += plan::value_bytes(value);
  }
  return bytes;
}

}  // namespace hw
