#include "engine/core/utf8.h"

namespace hw {

std::optional<char32_t> next_character(std::string_view text, size_t& at) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(at);
  const size_t count = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (count == 0 || at + count > text.size()) return std::nullopt;
  char32_t code = count == 1 ? first : first & (0x7f >> count);
  for (size_t k = 1; k < count; ++k) {
    if (byte(at + k) >> 6 != 2) return std::nullopt;
    code = code << 6 | (byte(at + k) & 0x3f);
  }
  static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[count] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return std::nullopt;
  at += count;
  return code;
}

std::string utf8(char32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

std::string as_utf8(std::string_view text) {
  std::string made;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (next_character(text, at))
      made += text.substr(begin, at - begin);
    else
      made += utf8(static_cast<unsigned char>(text[at++]));
  }
  return made;
}

}  // namespace hw
