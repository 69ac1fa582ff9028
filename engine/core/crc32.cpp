// Eight bytes at a time (Kounavis and Berry 2005, "slicing by 8"): table k is the CRC of a byte before k zero bytes.
#include "engine/core/crc32.h"

#include <array>

namespace hw {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0u);
    t[0][i] = c;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t i = 0; i < 256; ++i) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xFF];
  return t;
}

constexpr Tables kTables = make_tables();

}  // namespace

uint32_t crc32(const void* data, size_t bytes, uint32_t before) {
  const auto* p = static_cast<const unsigned char*>(data);
  const auto word = [](const unsigned char* b) {
    return static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 | static_cast<uint32_t>(b[2]) << 16 |
           static_cast<uint32_t>(b[3]) << 24;
  };
  uint32_t c = ~before;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    const uint32_t a = c ^ word(p), b = word(p + 4);
    c = kTables[7][a & 0xFF] ^ kTables[6][a >> 8 & 0xFF] ^ kTables[5][a >> 16 & 0xFF] ^ kTables[4][a >> 24] ^
        kTables[3][b & 0xFF] ^ kTables[2][b >> 8 & 0xFF] ^ kTables[1][b >> 16 & 0xFF] ^ kTables[0][b >> 24];
  }
  for (; bytes > 0; --bytes, ++p) c = (c >> 8) ^ kTables[0][(c ^ *p) & 0xFF];
  return ~c;
}

}  // namespace hw
