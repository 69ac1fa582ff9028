// PNG files made for tests, of any depth and colour type, with chunks of any kind.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace hw::test {

inline std::string big_endian(size_t value, int bytes = 4) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  return big_endian(data.size()) + body +
         big_endian(crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
}

struct PngParts {
  uint32_t width = 1, height = 1;
  uint8_t depth = 8, colour = 6;  // of IHDR: 0 grey, 2 RGB, 3 palette, 4 grey with opacity, 6 RGBA
  std::string rows;               // with the filter byte that begins each, whatever the sizes say
  bool interlaced = false;
  std::string before_pixels = {};  // whole chunks
};

inline std::string png_of(const PngParts& p) {
  uLongf length = compressBound(p.rows.size());
  std::string packed(length, '\0');
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(p.rows.data()),
                     p.rows.size()),
            Z_OK);
  packed.resize(length);
  const std::string kind{static_cast<char>(p.depth), static_cast<char>(p.colour), '\0', '\0',
                         static_cast<char>(p.interlaced)};
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", big_endian(p.width) + big_endian(p.height) + kind) + p.before_pixels +
         png_chunk("IDAT", packed) + png_chunk("IEND", "");
}

/// EXIF with one tag, the orientation, in either byte order.
inline std::string exif(int orientation, bool little = false) {
  if (little)
    return std::string("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18) + static_cast<char>(orientation) +
           std::string(7, '\0');
  return std::string("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19) + static_cast<char>(orientation) +
         std::string(6, '\0');
}

}  // namespace hw::test
