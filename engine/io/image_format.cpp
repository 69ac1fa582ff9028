#include "engine/io/image_format.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hw {
namespace {

constexpr std::string_view kPng("\x89PNG\r\n\x1a\n", 8);

size_t byte(std::string_view bytes, size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// Chunks: length, name, data, checksum; all but the name big endian.
bool has_end_of_png(std::string_view bytes) {
  for (size_t at = kPng.size(); at + 12 <= bytes.size();) {
    const size_t length =
        byte(bytes, at) << 24 | byte(bytes, at + 1) << 16 | byte(bytes, at + 2) << 8 | byte(bytes, at + 3);
    if (bytes.substr(at + 4, 4) == "IEND") return true;
    if (length > bytes.size() - at - 12) return false;
    at += 12 + length;
  }
  return false;
}

/// Markers: 0xFF and a byte; most have a length, the start of a scan is followed by data in which 0xFF stands before 0
/// or a restart.
bool has_end_of_jpeg(std::string_view bytes) {
  constexpr size_t kEnd = 0xD9, kScan = 0xDA;
  const auto is_restart = [](size_t marker) { return marker >= 0xD0 && marker <= 0xD7; };
  size_t at = 2;
  while (at + 2 <= bytes.size()) {
    if (byte(bytes, at) != 0xFF) return true;  // no marker where one must be: damaged, not cut
    const size_t marker = byte(bytes, at + 1);
    if (marker == kEnd) return true;
    if (marker == 0xFF) {  // fill
      ++at;
      continue;
    }
    if (at + 4 > bytes.size()) return false;
    at += 2 + (byte(bytes, at + 2) << 8 | byte(bytes, at + 3));
    if (marker != kScan) continue;
    for (; at + 2 <= bytes.size(); ++at) {
      const size_t next = byte(bytes, at + 1);
      if (byte(bytes, at) == 0xFF && next != 0 && next != 0xFF && !is_restart(next)) break;
    }
  }
  return false;
}

}  // namespace

ImageFormat image_format(std::string_view bytes) {
  if (bytes.starts_with(kPng)) return ImageFormat::png;
  if (bytes.starts_with("\xFF\xD8")) return ImageFormat::jpeg;
  if (bytes.starts_with("BM")) return ImageFormat::bmp;
  return ImageFormat::other;
}

std::string_view name(ImageFormat format) {
  constexpr std::array<std::string_view, 4> names{"PNG", "JPEG", "BMP", "picture"};
  return names[static_cast<size_t>(format)];
}

bool is_cut_short(std::string_view bytes, ImageFormat format) {
  switch (format) {
    case ImageFormat::png:
      return !has_end_of_png(bytes);
    case ImageFormat::jpeg:
      return !has_end_of_jpeg(bytes);
    case ImageFormat::bmp: {
      if (bytes.size() < 6) return true;
      const size_t said = byte(bytes, 2) | byte(bytes, 3) << 8 | byte(bytes, 4) << 16 | byte(bytes, 5) << 24;
      return said > bytes.size();
    }
    case ImageFormat::other:
      return false;
  }
  return false;
}

}  // namespace hw
