#include "app/interop/onnx/ids.h"

namespace hw::interop {

std::string as_id(const std::string& name) {
  constexpr size_t kLongest = 60;
  std::string id;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || upper)
      id += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!id.empty() && id.back() != '_')
      id += '_';
  }
  while (!id.empty() && id.back() == '_') id.pop_back();
  return id.size() > kLongest ? id.substr(id.size() - kLongest) : id;
}

}  // namespace hw::interop
