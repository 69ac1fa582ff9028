// Codes in the compressed data of a JPEG. Source: JPEG (ITU-T T.81), B.1.1.5, C and F.2.2.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hw {

/// A Huffman table; empty until it is made.
class JpegCodes {
 public:
  /// `counts`: 16 bytes, how many codes each length has; `symbols`: one byte a code. False: they are no code.
  bool make(std::string_view counts, std::string_view symbols);
  bool empty() const { return lookup_.empty(); }
  /// Of the code that 16 bits begin with: length << 8 | symbol; 0: of none.
  uint16_t at(uint32_t bits) const { return lookup_[bits]; }

 private:
  std::vector<uint16_t> lookup_;
};

/// Reads bits up to the next marker. Once more is asked for than there is, or what no code begins with, it has failed
/// and answers 0.
class JpegBits {
 public:
  JpegBits(std::string_view bytes, size_t at) : bytes_(bytes), at_(at) {}
  uint32_t bits(int count);
  uint8_t symbol(const JpegCodes& codes);
  bool is_dry() const { return dry_; }
  bool has_failed() const { return dry_ || wrong_; }
  /// The byte that is read next, and how many whole bytes that were read are not used up.
  size_t at() const { return at_; }
  size_t held() const { return static_cast<size_t>(held_ / 8); }
  /// Drops what is left of the bytes that were read, and goes on at a place.
  void go_on_at(size_t place) { at_ = place, held_ = 0; }

 private:
  void fill();
  std::string_view bytes_;
  size_t at_;
  uint64_t buffer_ = 0;  // the lowest held_ bits come next
  int held_ = 0;
  bool dry_ = false, wrong_ = false;
};

}  // namespace hw
