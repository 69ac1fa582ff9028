#include "engine/io/parser_bytes.h"

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/io/byte_stream.h"
#include "engine/io/image_bytes.h"

namespace hw {
namespace {

constexpr uint64_t kMagic = 0x3130435250574848;  // "HHWPRC01"

template <class T, class Write>
bool write(int fd, const Result<T>& outcome, Write&& body) {
  ByteWriter w(fd);
  w.number(kMagic);
  w.number<uint8_t>(outcome ? 1 : 0);
  if (outcome) {
    body(w, *outcome);
  } else {
    write_error(w, outcome.error());
  }
  return w.finish();
}

/// `body(r, value)`: whether what it read fits.
template <class T, class Read>
Result<T> read(std::string_view bytes, const std::string& file, Read&& body) {
  const Error broken{codes::asset_costly, file, "the program that read the file handed over something else.",
                     "Make the file again, in a common format."};
  ByteReader r(bytes);
  if (r.number<uint64_t>() != kMagic) return broken;
  const auto is_read = r.number<uint8_t>();
  if (!r.good() || is_read > 1) return broken;
  if (is_read == 0) {
    Error error = read_error(r);
    if (!r.at_end() || error.code.empty()) return broken;
    return error;
  }
  T value;
  if (!body(r, value) || !r.at_end()) return broken;
  return value;
}

}  // namespace

bool write_outcome(int fd, const Result<Image>& outcome) {
  return write(fd, outcome, [](ByteWriter& w, const Image& image) {
    w.number(image.width);
    w.number(image.height);
    w.array(image.rgba);
    w.array(image.deep);
    w.texts(image.warnings);
  });
}

bool write_outcome(int fd, const Result<Sound>& outcome) {
  return write(fd, outcome, [](ByteWriter& w, const Sound& sound) {
    w.number(sound.rate);
    w.number(sound.frames);
    w.array(sound.samples);
  });
}

Result<Image> read_picture(std::string_view bytes, const std::string& file) {
  return read<Image>(bytes, file, [](ByteReader& r, Image& image) {
    r.number(image.width);
    r.number(image.height);
    if (image.width < 1 || image.height < 1 || image.width > kMaxPictureSide || image.height > kMaxPictureSide)
      return false;
    const size_t channels = static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 4;
    r.array(image.rgba);
    r.array(image.deep);
    r.texts(image.warnings);
    return image.rgba.size() == channels && (image.deep.empty() || image.deep.size() == channels);
  });
}

Result<Sound> read_sound(std::string_view bytes, const std::string& file, const SoundWish& wish) {
  return read<Sound>(bytes, file, [&](ByteReader& r, Sound& sound) {
    r.number(sound.rate);
    r.number(sound.frames);
    r.array(sound.samples);
    const auto& samples = sound.samples;
    return sound.frames >= 0 && sound.frames <= wish.frames &&
           samples.size() == static_cast<size_t>(sound.frames * wish.channels) &&
           std::all_of(samples.begin(), samples.end(), [](float v) { return std::isfinite(v); });
  });
}

}  // namespace hw
