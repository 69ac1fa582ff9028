#include <algorithm>
#include <cstdlib>

#include "engine/io/file/numbers.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/picture_check.h"

namespace hw {
namespace {

/// The largest number of a colour in `rows` of `width` pixels of `depth` bits, the first in the highest bits.
size_t largest_index(std::string_view pixels, size_t width, size_t rows, size_t depth, size_t stride) {
  size_t largest = 0;
  for (size_t y = 0; y < rows; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const size_t bit = x * depth;
      const auto byte = static_cast<unsigned char>(pixels[y * stride + bit / 8]);
      largest = std::max<size_t>(largest, byte >> (8 - depth - bit % 8) & ((1u << depth) - 1));
    }
  }
  return largest;
}

}  // namespace

PictureCheck check_bmp(std::string_view bytes) {
  constexpr size_t kFileHeader = 14, kOs2 = 12, kWindows = 40, kBitFields = 3;
  const Numbers n{bytes, true};
  const auto cut = [](const std::string& what, uint64_t need, uint64_t have) {
    return PictureCheck{
        "is cut short: its " + what + " end at byte " + std::to_string(need) + ", the file has " + std::to_string(have),
        {}};
  };
  const size_t header = n.at(14, 4).value_or(kWindows);
  if (bytes.size() < kFileHeader + header) return cut("headers", kFileHeader + uint64_t{header}, bytes.size());
  if (header != kOs2 && header < kWindows) return {};  // stb names it
  const bool is_os2 = header == kOs2;
  const uint64_t width = is_os2 ? *n.at(18, 2) : *n.at(18, 4);
  const uint64_t rows =
      is_os2 ? *n.at(20, 2) : static_cast<uint64_t>(std::abs(int64_t{static_cast<int32_t>(*n.at(22, 4))}));
  const uint64_t depth = is_os2 ? *n.at(24, 2) : *n.at(28, 2);
  const uint64_t compression = is_os2 ? 0 : *n.at(30, 4);
  const uint64_t begin = *n.at(10, 4);
  const bool is_read = depth == 1 || depth == 4 || depth == 8 || depth == 16 || depth == 24 || depth == 32;
  if (!is_read || (compression != 0 && compression != kBitFields)) return {};                   // stb says so
  if (width == 0 || rows == 0 || width > kMaxPictureSide || rows > kMaxPictureSide) return {};  // refused for that
  if (is_os2 && depth < 16) return {"has a colour table as OS/2 wrote it, which is not read", {}};
  const uint64_t stride = (width * depth + 31) / 32 * 4;
  const uint64_t used = (width * depth + 7) / 8;  // of a row; behind the last one nothing need follow
  const uint64_t end = begin + stride * (rows - 1) + used;
  if (end > bytes.size()) return cut("pixels", end, bytes.size());
  const uint64_t masks = header == kWindows && compression == kBitFields ? 12 : 0;
  const uint64_t headers = kFileHeader + header + masks;
  if (depth >= 16 && begin != headers)
    return {"has its pixels at byte " + std::to_string(begin) + " and its headers end at byte " +
                std::to_string(headers) + ": what lies between is not read",
            {}};
  if (depth >= 16) return {};
  if (begin < headers) return {"is damaged: its pixels begin in its headers, at byte " + std::to_string(begin), {}};
  const uint64_t said = *n.at(46, 4);
  const uint64_t colours = std::min(said == 0 ? uint64_t{1} << depth : said, (begin - headers) / 4);
  const size_t largest = largest_index(bytes.substr(begin), width, rows, depth, stride);
  if (largest >= colours)
    return {"is damaged: a pixel names colour " + std::to_string(largest) + ", and its colour table has " +
                std::to_string(colours) + ", counted from 0",
            {}};
  return {};
}

}  // namespace hw
