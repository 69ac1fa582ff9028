#include "engine/devices/back_ends.h"

#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/backend/gpu/gpu_device.h"
#include "engine/backend/plan/memory_plan.h"
#include "engine/backend/ref/ref_device.h"
#include "engine/backend/vulkan/adapters.h"
#include "engine/backend/vulkan/vulkan_device.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"

namespace hw {
namespace {

template <class Gpu>
std::vector<std::string> numbered(const char* kind, const Result<std::vector<Gpu>>& gpus) {
  std::vector<std::string> ids;
  for (size_t i = 0; gpus && i < gpus->size(); ++i) ids.push_back(std::string(kind) + ":" + std::to_string(i));
  return ids;
}
template <class Gpu>
std::optional<Error> reason(const Result<std::vector<Gpu>>& gpus, const char* none) {
  if (!gpus) return gpus.error();
  if (gpus->empty()) return Error{codes::no_gpu, "", none, "Choose the cpu device."};
  return std::nullopt;
}

std::vector<std::string> cuda_ids() {
  return numbered("cuda", cuda::gpus());
}
std::vector<std::string> vulkan_ids() {
  std::vector<std::string> ids = numbered("vulkan", vulkan::adapters());
  while (!ids.empty() && !(*vulkan::adapters())[ids.size() - 1].lacks.empty()) ids.pop_back();
  return ids;
}
std::optional<Error> no_cuda() {
  return reason(cuda::gpus(), "There is no GPU that CUDA sees.");
}
std::optional<Error> no_vulkan() {
  if (const auto& all = vulkan::adapters(); all && vulkan_ids().empty() && !all->empty())
    return Error{codes::no_gpu, "", all->front().name + " lacks " + all->front().lacks + ".", "Choose the cpu device."};
  return reason(vulkan::adapters(), "There is no device that Vulkan sees.");
}

std::string cuda_name(size_t index) {
  return cuda::gpus()->at(index).name;
}
std::string vulkan_name(size_t index) {
  return vulkan::description(vulkan::adapters()->at(index));
}

template <bool fuses_elementwise>
TempBytes on_gpu(const Program& program) {
  return gpu::temp_bytes(program, fuses_elementwise);
}

const BackEnd kBackEnds[] = {
    {"cpu", [](const std::string&) -> Result<std::shared_ptr<Device>> { return make_cpu_device(); }, cpu::temp_bytes,
     nullptr, nullptr, nullptr, nullptr},
    {"ref", [](const std::string&) -> Result<std::shared_ptr<Device>> { return make_ref_device(); }, all_temp_bytes,
     nullptr, nullptr, nullptr, nullptr},
    {"cuda", cuda::make_cuda_device, on_gpu<false>, cuda_ids, no_cuda, cuda_name, cuda::resident_bytes},
    {"vulkan", vulkan::make_vulkan_device, on_gpu<true>, vulkan_ids, no_vulkan, vulkan_name, vulkan::resident_bytes},
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
