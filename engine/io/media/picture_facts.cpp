#include "engine/io/media/picture_facts.h"

#include <algorithm>

#include "engine/io/file/numbers.h"
#include "engine/io/media/png_chunks.h"

namespace hw {
namespace {

/// Tag 0x0112 of the first directory of a TIFF structure, which EXIF is.
int orientation_of(std::string_view tiff) {
  constexpr uint32_t kOrientation = 0x0112, kShort = 3, kEntry = 12;
  if (!tiff.starts_with("II*") && !tiff.starts_with(std::string_view("MM\0*", 4))) return 1;
  const Numbers numbers{tiff, tiff[0] == 'I'};
  const auto directory = numbers.at(4, 4);
  const auto count = directory ? numbers.at(*directory, 2) : std::nullopt;
  for (uint32_t i = 0; count && i < *count; ++i) {
    const size_t entry = size_t{*directory} + 2 + size_t{i} * kEntry;
    const auto tag = numbers.at(entry, 2), type = numbers.at(entry + 2, 2);
    if (!tag || !type) return 1;
    if (*tag != kOrientation) continue;
    const auto value = numbers.at(entry + 8, *type == kShort ? 2 : 4);
    return value && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
  }
  return 1;
}

PictureFacts facts_of_png(std::string_view bytes) {
  PictureFacts facts;
  each_png_chunk(bytes, [&](const PngChunk& chunk) {
    if (!chunk.is_sound) return;
    if (chunk.name == "eXIf") facts.orientation = orientation_of(chunk.data);
    if (chunk.name == "acTL") facts.frames = Numbers{chunk.data}.at(0, 4).value_or(1);
  });
  return facts;
}

PictureFacts facts_of_jpeg(std::string_view bytes) {
  constexpr std::string_view kExif("Exif\0\0", 6), kAdobe("Adobe");
  PictureFacts facts;
  const Numbers numbers{bytes};
  for (size_t at = 2;;) {
    const auto sign = numbers.at(at, 1), marker = numbers.at(at + 1, 1);
    if (!sign || !marker || *sign != 0xFF) return facts;
    if (*marker == 0xFF) {  // fill
      ++at;
      continue;
    }
    const auto length = numbers.at(at + 2, 2);
    if (!length || *length < 2 || *marker == 0xDA || *marker == 0xD9) return facts;
    const std::string_view data = bytes.substr(std::min(bytes.size(), at + 4), *length - 2);
    const bool is_frame = *marker >= 0xC0 && *marker <= 0xCF && *marker != 0xC4 && *marker != 0xC8 && *marker != 0xCC;
    if (is_frame && data.size() >= 6) facts.components = static_cast<unsigned char>(data[5]);
    if (*marker == 0xE1 && data.starts_with(kExif)) facts.orientation = orientation_of(data.substr(kExif.size()));
    if (*marker == 0xEE && data.starts_with(kAdobe) && data.size() >= 12)
      facts.adobe = static_cast<unsigned char>(data[11]);
    at += 2 + size_t{*length};
  }
}

/// Channels of `width` × `height` stored pixels, in the order in which they are seen.
template <class Channel>
std::vector<Channel> turned(const std::vector<Channel>& stored, int width, int height, int orientation) {
  if (stored.empty()) return {};
  const bool swaps = orientation >= 5;
  const auto columns = static_cast<size_t>(swaps ? height : width), rows = static_cast<size_t>(swaps ? width : height);
  const auto w = static_cast<size_t>(width), h = static_cast<size_t>(height);
  // What is seen first is the last stored column, the last stored row.
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  std::vector<Channel> seen(stored.size());
  for (size_t y = 0; y < rows; ++y) {
    for (size_t x = 0; x < columns; ++x) {
      size_t column = swaps ? y : x, row = swaps ? x : y;
      if (from_right) column = w - 1 - column;
      if (from_below) row = h - 1 - row;
      for (size_t c = 0; c < 4; ++c) seen[(y * columns + x) * 4 + c] = stored[(row * w + column) * 4 + c];
    }
  }
  return seen;
}

}  // namespace

PictureFacts picture_facts(std::string_view bytes, ImageFormat format) {
  if (format == ImageFormat::png) return facts_of_png(bytes);
  if (format == ImageFormat::jpeg) return facts_of_jpeg(bytes);
  return {};
}

Image upright(Image stored, int orientation) {
  if (orientation < 2 || orientation > 8) return stored;
  Image seen;
  seen.width = orientation >= 5 ? stored.height : stored.width;
  seen.height = orientation >= 5 ? stored.width : stored.height;
  seen.rgba = turned(stored.rgba, stored.width, stored.height, orientation);
  seen.deep = turned(stored.deep, stored.width, stored.height, orientation);
  seen.warnings = std::move(stored.warnings);
  return seen;
}

}  // namespace hw
