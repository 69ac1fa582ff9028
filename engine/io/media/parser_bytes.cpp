#include "engine/io/media/parser_bytes.h"

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/io/child/outcome_bytes.h"
#include "engine/io/media/image_bytes.h"

namespace hw {
namespace {

constexpr uint64_t kMagic = 0x3130435250574848;  // "HHWPRC01"

Error broken(const std::string& file) {
  return {codes::asset_costly, file, "the program that read the file handed over something else.",
          "Make the file again, in a common format."};
}

}  // namespace

bool write_outcome(int fd, const Result<Image>& outcome) {
  return write_envelope(fd, kMagic, outcome, [](ByteWriter& w, const Image& image) {
    w.number(image.width);
    w.number(image.height);
    w.array(image.rgba);
    w.array(image.deep);
    w.texts(image.warnings);
  });
}

bool write_outcome(int fd, const Result<Sound>& outcome) {
  return write_envelope(fd, kMagic, outcome, [](ByteWriter& w, const Sound& sound) {
    w.number(sound.rate);
    w.number(sound.frames);
    w.array(sound.samples);
  });
}

Result<Image> read_picture(std::string_view bytes, const std::string& file) {
  return read_envelope<Image>(bytes, kMagic, broken(file), [](ByteReader& r, Image& image) {
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

Result<Sound> read_sound(std::string_view bytes, const std::string& file, const SoundFormat& format) {
  return read_envelope<Sound>(bytes, kMagic, broken(file), [&](ByteReader& r, Sound& sound) {
    r.number(sound.rate);
    r.number(sound.frames);
    r.array(sound.samples);
    const auto& samples = sound.samples;
    return sound.frames >= 0 && sound.frames <= format.frames &&
           samples.size() == static_cast<size_t>(sound.frames * format.channels) &&
           std::all_of(samples.begin(), samples.end(), [](float v) { return std::isfinite(v); });
  });
}

}  // namespace hw
