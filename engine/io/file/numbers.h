// Whole numbers in the bytes of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hw {

/// Numbers of a byte order at places that may lie outside.
struct Numbers {
  std::string_view bytes;
  bool little = false;

  /// The number in `size` bytes, 1 to 4; none where they are not all there.
  std::optional<uint32_t> at(size_t place, size_t size) const {
    if (place > bytes.size() || size > bytes.size() - place) return std::nullopt;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[place + (little ? size - 1 - i : i)]);
      value = value << 8 | byte;
    }
    return value;
  }
};

}  // namespace hw
