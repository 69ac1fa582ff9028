#include <algorithm>

#include "engine/io/file/numbers.h"
#include "engine/io/media/picture_check.h"

namespace hw {

PictureCheck check_tga(std::string_view bytes) {
  constexpr size_t kHeader = 18, kRunLength = 8;
  const auto cut = [&](uint64_t place, const char* what) {
    return PictureCheck{"is cut short: at byte " + std::to_string(place) + " its " + what + " go on, the file has " +
                            std::to_string(bytes.size()),
                        {}};
  };
  const Numbers n{bytes, true};
  if (bytes.size() < kHeader) return cut(bytes.size(), "headers");
  const bool is_indexed = *n.at(1, 1) == 1, is_packed = *n.at(2, 1) > kRunLength;
  const uint64_t first = *n.at(3, 2), colours = *n.at(5, 2), colour_bytes = (uint64_t{*n.at(7, 1)} + 7) / 8;
  const uint64_t count = uint64_t{*n.at(12, 2)} * *n.at(14, 2), size = (uint64_t{*n.at(16, 1)} + 7) / 8;
  const uint32_t descriptor = *n.at(17, 1);
  if ((descriptor & 0x10) != 0) return {"has its pixels from right to left, which is not read", {}};
  if ((descriptor & 0xC0) != 0) return {"has its rows interleaved, which is not read", {}};
  if (is_indexed && first != 0)
    return {"has a colour map that begins at colour " + std::to_string(first) + ", which is not read", {}};
  if (size == 0) return {};
  uint64_t at = kHeader + *n.at(0, 1) + (is_indexed ? colours * colour_bytes : 0);
  uint64_t largest = 0;
  const auto see = [&](uint64_t pixels) {
    for (uint64_t i = 0; is_indexed && i < pixels; ++i)
      largest = std::max<uint64_t>(largest, *n.at(at + i * size, size));
  };
  for (uint64_t done = 0; done < count;) {
    uint64_t pixels = count, stored = count;
    if (is_packed) {
      const auto packet = n.at(at++, 1);
      if (!packet) return cut(bytes.size(), "pixels");
      pixels = std::min<uint64_t>((*packet & 0x7F) + 1, count - done);
      stored = (*packet & 0x80) != 0 ? 1 : pixels;
    }
    if (at > bytes.size() || stored * size > bytes.size() - at) return cut(bytes.size(), "pixels");
    see(stored);
    at += stored * size;
    done += pixels;
  }
  if (is_indexed && largest >= colours)
    return {"is damaged: a pixel names colour " + std::to_string(largest) + ", and its colour map has " +
                std::to_string(colours) + ", counted from 0",
            {}};
  return {};
}

}  // namespace hw
