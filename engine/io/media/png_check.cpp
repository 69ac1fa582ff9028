#include <zlib.h>

#include <array>
#include <bit>
#include <memory>
#include <new>
#include <optional>

#include "engine/io/file/numbers.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/picture_check.h"
#include "engine/io/media/png_chunks.h"
#include "engine/io/media/png_rows.h"

namespace hw {
namespace {

struct Header {
  size_t width = 0, height = 0, depth = 0, colour = 0;
  bool interlaced = false;
};
constexpr size_t kPalette = 3;  // the colour type

std::optional<Header> header_of(std::string_view data) {
  if (data.size() < 13) return std::nullopt;
  const Numbers n{data};
  return Header{*n.at(0, 4), *n.at(4, 4), *n.at(8, 1), *n.at(9, 1), *n.at(12, 1) != 0};
}

/// Inflates the pixels and looks at each row of a picture with a palette. Holds 64 KiB at a time.
class Pixels {
 public:
  explicit Pixels(const Header& h)
      : most_(9 * (h.width + 8) * (h.height + 8)),  // 8 bytes a pixel, filters, interlaced
        name_(std::to_string(h.width) + " × " + std::to_string(h.height)) {
    if (h.colour == kPalette) rows_.emplace(h.width, h.height, h.depth, h.interlaced);
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ~Pixels() { inflateEnd(&stream_); }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  /// What comes next of the compressed bytes.
  void take(std::string_view bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // which zlib does not write
    stream_.avail_in = static_cast<uInt>(bytes.size());
    while (fault_.empty() && !ended_ && stream_.avail_in > 0) {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      ended_ = state == Z_STREAM_END;
      if (state == Z_MEM_ERROR) throw std::bad_alloc();
      if (state != Z_OK && !ended_) {
        const std::string why = stream_.msg ? stream_.msg : "a dictionary";
        fault_ = why == "incorrect data check" ? "is damaged: the checksum (Adler-32) of its pixels is not theirs"
                                               : "is damaged: its pixels cannot be inflated (" + why + ")";
      }
      if (stream_.total_out > most_) fault_ = "holds more than its " + name_ + " pixels";
      if (rows_) rows_->take({out_.data(), out_.size() - stream_.avail_out});
    }
  }
  /// After the last bytes. `colours`: in the palette.
  std::string fault(size_t colours) const {
    if (!fault_.empty()) return fault_;
    if (!ended_) return "is cut short: its compressed pixels end before they are complete";
    if (rows_ && rows_->largest() >= colours)
      return "is damaged: a pixel names colour " + std::to_string(rows_->largest()) + ", and its palette has " +
             std::to_string(colours) + ", counted from 0";
    return "";
  }

 private:
  z_stream stream_{};
  uint64_t most_;
  std::string name_;
  std::optional<PngPaletteRows> rows_;
  std::array<char, 65536> out_{};
  bool ended_ = false;
  std::string fault_;
};

}  // namespace

PictureCheck check_png(std::string_view bytes) {
  PictureCheck check;
  std::optional<Header> header;
  std::unique_ptr<Pixels> pixels;
  constexpr size_t kMostReported = 3;
  size_t colours = 0, passed_over = 0;
  const bool ends = each_png_chunk(bytes, [&](const PngChunk& chunk) {
    if (!check.fault.empty()) return;
    const std::string name(chunk.name);
    // What begins with a capital letter is needed; opacity (tRNS) is read into the pixels.
    const bool is_needed = (name[0] & 0x20) == 0 || name == "tRNS";
    if (!chunk.is_sound && is_needed)
      check.fault = "is damaged: the checksum (CRC) of its chunk " + name + " at byte " + std::to_string(chunk.at) +
                    " is not that of what is in it";
    if (!chunk.is_sound && !is_needed && ++passed_over <= kMostReported)
      check.warnings.push_back("its chunk " + name + " at byte " + std::to_string(chunk.at) +
                               " is damaged (checksum) and passed over; no pixel is in it.");
    if (name == "CgBI") check.fault = "is Apple's own variant (CgBI), which is not read";
    if (name == "IHDR") header = header_of(chunk.data);
    if (name == "PLTE") colours = chunk.data.size() / 3;
    if (name != "IDAT" || !check.fault.empty() || !header) return;
    const size_t most = kMaxPictureSide;
    if (header->width > most || header->height > most) return;  // refused for that
    if (header->colour == kPalette && (header->depth > 8 || !std::has_single_bit(header->depth)))
      return;  // stb says so
    if (!pixels) pixels = std::make_unique<Pixels>(*header);
    pixels->take(chunk.data);
  });
  if (passed_over > kMostReported)
    check.warnings.push_back(std::to_string(passed_over - kMostReported) + " more of its chunks are damaged likewise.");
  if (check.fault.empty() && !ends) check.fault = "is cut short: it has no end (IEND)";
  if (check.fault.empty() && pixels) check.fault = pixels->fault(colours);
  return check;
}

}  // namespace hw
