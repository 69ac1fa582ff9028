#include "engine/backend/vulkan/kernel_code.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace hw::vulkan {
namespace {

std::vector<KernelCode> read_packs() {
  std::vector<KernelCode> all;
  for (const std::span<const unsigned char> pack : kernel_packs()) {
    const std::string_view text(reinterpret_cast<const char*>(pack.data()), pack.size());
    std::istringstream rows(std::string(text.substr(0, text.find("\n\n") + 1)));
    std::vector<std::pair<KernelCode, size_t>> made;
    size_t words = 0;
    for (std::string row; std::getline(rows, row);) {
      std::istringstream fields(row);
      KernelCode code;
      size_t count = 0;
      fields >> code.name >> code.functor_bytes >> count >> code.groups;
      made.emplace_back(code, count);
      words += count;
    }
    // Words stand at the end, aligned as the pack is.
    const auto* next = reinterpret_cast<const uint32_t*>(pack.data() + pack.size() - words * sizeof(uint32_t));
    for (auto& [code, count] : made) {
      code.spirv = {next, count};
      next += count;
      all.push_back(std::move(code));
    }
  }
  std::ranges::sort(all, {}, &KernelCode::name);
  return all;
}

}  // namespace

const std::vector<KernelCode>& kernel_codes() {
  static const std::vector<KernelCode> all = read_packs();
  return all;
}

const KernelCode* find_kernel(const std::string& name) {
  const std::vector<KernelCode>& all = kernel_codes();
  const auto found = std::ranges::lower_bound(all, name, {}, &KernelCode::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace hw::vulkan
