#include "engine/backend/cuda/cuda_device.h"

#include <charconv>

#include "engine/backend/cuda/gpus.h"
#include "engine/backend/gpu/gpu_device.h"
#include "engine/core/codes.h"

namespace hw::cuda {

static Result<size_t> index_of(const std::string& id) {
  size_t index = 0;
  const char *begin = id.data() + id.find(':') + 1, *end = id.data() + id.size();
  const auto [stop, failed] = std::from_chars(begin, end, index);
  if (id.starts_with("cuda:") && failed == std::errc() && stop == end) return index;
  return Error{codes::bad_usage, id, "There is no such device.", "Choose cuda:0, cuda:1 and so on."};
}

Result<std::shared_ptr<Device>> make_cuda_device(const std::string& id) {
  HW_TRY(const size_t index, index_of(id));
  HW_TRY(const std::vector<Gpu> all, gpus());
  if (index >= all.size())
    return Error{codes::bad_usage, id, "GPUs here: " + std::to_string(all.size()) + ".",
                 "Choose one of cuda:0 to cuda:" + std::to_string(all.size() - 1) + "."};
  HW_TRY(auto driver, make_driver(index));
  return gpu::make_device_on(std::move(driver));
}

size_t resident_bytes(const std::string& id) {
  const auto index = index_of(id);
  const Result<std::vector<Gpu>>& all = gpus();
  return index && all && *index < all->size() ? (*all)[*index].resident_bytes() : ~size_t{0};
}

}  // namespace hw::cuda
