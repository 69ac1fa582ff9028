#include "engine/io/media/png_chunks.h"

#include "engine/core/crc32.h"
#include "engine/io/file/numbers.h"

namespace hw {

bool each_png_chunk(std::string_view bytes, const std::function<void(const PngChunk&)>& see) {
  constexpr size_t kSignature = 8, kAround = 12;  // length and name before the data, checksum behind
  const Numbers numbers{bytes};
  for (size_t at = kSignature; at + kAround <= bytes.size();) {
    const size_t length = *numbers.at(at, 4);
    if (length > bytes.size() - at - kAround) return false;
    const std::string_view sum_of = bytes.substr(at + 4, 4 + length);
    const uint32_t sum = crc32(sum_of.data(), sum_of.size());
    see({sum_of.substr(0, 4), sum_of.substr(4), at, sum == *numbers.at(at + 8 + length, 4)});
    if (sum_of.starts_with("IEND")) return true;
    at += kAround + length;
  }
  return false;
}

}  // namespace hw
