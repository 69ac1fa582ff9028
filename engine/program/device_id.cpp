#include "engine/program/device_id.h"

#include <algorithm>

namespace hw {

bool is_device_id(std::string_view text) {
  return text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
         });
}

std::string canonical_device_id(std::string_view id) {
  constexpr std::string_view kGpu = "cuda";
  if (id == kGpu) return std::string(kGpu) + ":0";
  const size_t digits = kGpu.size() + 1;
  if (id.size() <= digits || !id.starts_with(kGpu) || id[kGpu.size()] != ':') return std::string(id);
  std::string_view number = id.substr(digits);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return std::string(id);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size() - 1));
  return std::string(kGpu) + ":" + std::string(number);
}

}  // namespace hw
