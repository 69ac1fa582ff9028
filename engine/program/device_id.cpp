#include "engine/program/device_id.h"

#include <algorithm>
#include <charconv>

namespace hw {

bool is_device_id(std::string_view text) {
  return text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
         });
}

std::string canonical_device_id(std::string_view id) {
  for (const std::string kind : {"cuda", "vulkan"}) {
    if (id == kind) return kind + ":0";
    if (!id.starts_with(kind + ":")) continue;
    std::string_view number = id.substr(kind.size() + 1);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) continue;
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size() - 1));
    return kind + ":" + std::string(number);
  }
  return std::string(id);
}

std::optional<size_t> device_index(std::string_view id, std::string_view kind) {
  if (!id.starts_with(kind) || id.size() <= kind.size() + 1 || id[kind.size()] != ':') return std::nullopt;
  size_t index = 0;
  const char *begin = id.data() + kind.size() + 1, *end = id.data() + id.size();
  const auto [stop, failed] = std::from_chars(begin, end, index);
  return failed == std::errc() && stop == end ? std::optional(index) : std::nullopt;
}

}  // namespace hw
