#include "engine/backend/vulkan/vulkan_device.h"

#include <cstdio>

#include "engine/backend/gpu/gpu_device.h"
#include "engine/backend/vulkan/adapters.h"
#include "engine/backend/vulkan/make_driver.h"
#include "engine/core/codes.h"
#include "engine/program/device_id.h"

namespace hw::vulkan {

std::string description(const Adapter& adapter) {
  char text[300];
  std::snprintf(text, sizeof text, "%s, %.1f GiB%s", adapter.name.c_str(),
                static_cast<double>(adapter.memory_bytes) / (1u << 30),
                adapter.kind == AdapterKind::software     ? ", software: slow, for checking"
                : adapter.kind == AdapterKind::integrated ? ", integrated"
                                                          : "");
  return text;
}

Result<std::shared_ptr<Device>> make_vulkan_device(const std::string& id) {
  const auto index = device_index(id, "vulkan");
  if (!index) return Error{codes::bad_usage, id, "There is no such device.", "Choose vulkan:0, vulkan:1 and so on."};
  HW_TRY(const std::vector<Adapter> all, adapters());
  if (*index >= all.size())
    return Error{codes::bad_usage, id, "Vulkan has " + std::to_string(all.size()) + " here.",
                 all.size() == 1 ? "Choose vulkan:0."
                                 : "Choose one of vulkan:0 to vulkan:" + std::to_string(all.size() - 1) + "."};
  const Adapter& adapter = all[*index];
  if (!adapter.lacks.empty())
    return Error{codes::no_gpu, id, adapter.name + " lacks " + adapter.lacks + ".",
                 "Install a newer driver, or choose the cpu device."};
  HW_TRY(auto driver, make_driver(*index, adapter.resident_bytes()));
  return gpu::make_device_on(std::move(driver));
}

size_t resident_bytes(const std::string& id) {
  const auto index = device_index(id, "vulkan");
  const Result<std::vector<Adapter>>& all = adapters();
  return index && all && *index < all->size() ? (*all)[*index].resident_bytes() : ~size_t{0};
}

}  // namespace hw::vulkan
