#include "engine/io/jpeg_huffman.h"

#include <algorithm>

namespace hw {

bool JpegCodes::make(std::string_view counts, std::string_view symbols) {
  constexpr uint32_t kAll = 1 << 16;
  lookup_.assign(kAll, 0);
  uint32_t from = 0;  // of 16 bits
  size_t next = 0;
  for (uint32_t length = 1; length <= 16; ++length) {
    for (auto i = static_cast<unsigned char>(counts[length - 1]); i > 0; --i) {
      const uint32_t to = from + (kAll >> length);
      if (to > kAll || next >= symbols.size()) return lookup_.clear(), false;
      const auto symbol = static_cast<unsigned char>(symbols[next++]);
      std::fill(lookup_.begin() + from, lookup_.begin() + to, static_cast<uint16_t>(length << 8 | symbol));
      from = to;
    }
  }
  return true;
}

/// 0xFF stands before 0 in data; before anything else it is a marker.
void JpegBits::fill() {
  while (held_ <= 48 && at_ < bytes_.size()) {
    const auto byte = static_cast<unsigned char>(bytes_[at_]);
    if (byte == 0xFF && (at_ + 1 >= bytes_.size() || bytes_[at_ + 1] != 0)) return;
    buffer_ = buffer_ << 8 | byte;
    held_ += 8;
    at_ += byte == 0xFF ? 2 : 1;
  }
}

uint32_t JpegBits::bits(int count) {
  if (held_ < count) fill();
  if (held_ < count || has_failed()) return dry_ = dry_ || held_ < count, 0;
  held_ -= count;
  return static_cast<uint32_t>(buffer_ >> held_) & ((1u << count) - 1);
}

uint8_t JpegBits::symbol(const JpegCodes& codes) {
  if (held_ < 16) fill();
  if (has_failed()) return 0;
  const uint64_t next = held_ >= 16 ? buffer_ >> (held_ - 16) : buffer_ << (16 - held_) | ((1u << (16 - held_)) - 1);
  const uint16_t code = codes.at(static_cast<uint32_t>(next & 0xFFFF));
  const int length = code >> 8;
  if (code == 0 || length > held_) {
    (held_ < 16 ? dry_ : wrong_) = true;
    return 0;
  }
  held_ -= length;
  return static_cast<uint8_t>(code);
}

}  // namespace hw
