#include "engine/backend/cuda/cuda_device.h"

#include "engine/backend/cuda/gpus.h"
#include "engine/backend/gpu/gpu_device.h"
#include "engine/core/codes.h"
#include "engine/program/device_id.h"

namespace hw::cuda {

Result<std::shared_ptr<Device>> make_cuda_device(const std::string& id) {
  const auto index = device_index(id, "cuda");
  if (!index) return Error{codes::bad_usage, id, "There is no such device.", "Choose cuda:0, cuda:1 and so on."};
  HW_TRY(const std::vector<Gpu> all, gpus());
  if (*index >= all.size())
    return Error{codes::bad_usage, id, "GPUs here: " + std::to_string(all.size()) + ".",
                 "Choose one of cuda:0 to cuda:" + std::to_string(all.size() - 1) + "."};
  HW_TRY(auto driver, make_driver(*index));
  return gpu::make_device_on(std::move(driver));
}

size_t resident_bytes(const std::string& id) {
  const auto index = device_index(id, "cuda");
  const Result<std::vector<Gpu>>& all = gpus();
  return index && all && *index < all->size() ? (*all)[*index].resident_bytes() : ~size_t{0};
}

}  // namespace hw::cuda
