#include "app/cli/print/printable_text.h"

#include <algorithm>

namespace hw::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the character that `text` begins with; 0: it is none. Unicode 15, table 3-7.
size_t character(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F ? 0 : 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (first < 0xC2 || first > 0xF4 || byte(1) < low || byte(1) > high) return 0;
  if (first == 0xC2 && byte(1) < 0xA0) return 0;  // C1 controls
  for (size_t k = 2; k < size; ++k)
    if (byte(k) < 0x80 || byte(k) > 0xBF) return 0;
  return size;
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t size = character(text);
    shown += size > 0 ? text.substr(0, size) : kReplacement;
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return shown;
}

}  // namespace hw::cli
