#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <cstdlib>
#include <memory>

#include "engine/core/codes.h"
#include "engine/core/picture_channels.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/image_file.h"
#include "engine/io/media/image_format.h"
#include "engine/io/media/picture_check.h"
#include "engine/io/media/picture_facts.h"
#include "engine/io/media/stb_memory.h"

namespace hw {
namespace {

constexpr int64_t kMaxPixels = int64_t{1} << 27;  // 512 MiB of RGBA

/// stb tries one format after the other and keeps the reason of the last: of a file whose format is known only what
/// that format's own reader may have said counts.
std::string stb_reason(ImageFormat format) {
  const std::string kind(name(format));
  const char* given = stbi_failure_reason();
  const std::string reason = given ? given : "";
  const bool is_of_another = reason.empty() || reason == "unknown image type" || reason == "not BMP" ||
                             (reason == "bad png sig" && format != ImageFormat::png);
  if (format == ImageFormat::other) return is_of_another ? "unknown format" : reason;
  return "the " + kind + " file is damaged" + (is_of_another ? "" : " (" + reason + ")");
}

PictureCheck check_picture(std::string_view bytes, ImageFormat format) {
  switch (format) {
    case ImageFormat::png:
      return check_png(bytes);
    case ImageFormat::jpeg:
      return check_jpeg(bytes);
    case ImageFormat::bmp:
      return check_bmp(bytes);
    case ImageFormat::tga:
      return check_tga(bytes);
    case ImageFormat::other:
      break;
  }
  return {};
}

}  // namespace

Result<Image> decode_image(std::string_view bytes, const std::string& name, Turned turned, uint64_t free) {
  const auto error = [&](const std::string& reason) {
    return Error{codes::asset_unreadable, name, "the picture cannot be read: " + reason + ".",
                 "Get the file again, or save it anew, as PNG, JPEG, TGA or BMP."};
  };
  if (bytes.size() > kMaxPictureBytes) return error("more than 256 MiB");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  Image image;
  int channels = 0;
  const bool is_known = stbi_info_from_memory(data, size, &image.width, &image.height, &channels) != 0;
  image.height = std::abs(image.height);  // of a BMP whose rows begin at the top
  ImageFormat format = image_format(bytes);
  if (is_known && format == ImageFormat::other) format = ImageFormat::tga;
  const PictureFacts facts = picture_facts(bytes, format);
  // stb would take the fourth for opacity.
  if (facts.components == 4 && facts.adobe != 0 && facts.adobe != 2)
    return error("the JPEG has four components and does not say which colours they are");
  if (is_known && (image.width < 1 || image.height < 1 || image.width > kMaxPictureSide ||
                   image.height > kMaxPictureSide || int64_t{image.width} * image.height > kMaxPixels))
    return error(std::to_string(image.width) + " × " + std::to_string(image.height) + " pixels are too many");
  const bool deep = stbi_is_16_bit_from_memory(data, size) != 0;
  // What decoders hold at a time: 28 bytes a pixel of an interlaced PNG with 16 bits, 16 of a progressive JPEG; rows
  // are padded to blocks of 16 pixels, what is packed is held up to twice.
  const auto pixels_of = [&](uint64_t padding) {
    return (static_cast<uint64_t>(image.width) + padding) * (static_cast<uint64_t>(image.height) + padding);
  };
  const uint64_t most = 28 * pixels_of(16) + 2 * bytes.size() + (uint64_t{1} << 20);
  if (is_known) HW_CHECK(check_memory_for(name, most + (deep ? 12 : 4) * pixels_of(0), free));
  const PictureCheck check = check_picture(bytes, format);
  if (!check.fault.empty()) return error("the " + std::string(hw::name(format)) + " file " + check.fault);
  if (!is_known) return error(stb_reason(format));
  const StbMemory memory(most);
  const std::unique_ptr<void, void (*)(void*)> pixels(
      deep ? static_cast<void*>(stbi_load_16_from_memory(data, size, &image.width, &image.height, &channels, 4))
           : static_cast<void*>(stbi_load_from_memory(data, size, &image.width, &image.height, &channels, 4)),
      stbi_image_free);
  if (!pixels && memory.exceeded())
    return error("it holds more than its " + std::to_string(image.width) + " × " + std::to_string(image.height) +
                 " pixels");
  if (!pixels) return error(stb_reason(format));
  const size_t count = static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 4;
  if (deep) {
    const auto* values = static_cast<const uint16_t*>(pixels.get());
    image.deep.assign(values, values + count);
    image.rgba = rounded_channels(image.deep);
  } else {
    const auto* values = static_cast<const uint8_t*>(pixels.get());
    image.rgba.assign(values, values + count);
  }
  image.warnings = check.warnings;
  const auto warn = [&](const std::string& what) { image.warnings.push_back(what); };
  if (facts.components == 4)
    warn("it is CMYK, and its colours are converted without its colour profile. Save it as RGB.");
  if (facts.frames > 1)
    warn("it is an animation of " + std::to_string(facts.frames) + " frames, and the first alone is read.");
  if (turned == Turned::upright) return upright(std::move(image), facts.orientation);
  if (facts.orientation != 1)
    warn("its EXIF orientation " + std::to_string(facts.orientation) +
         " is not applied, as texture coordinates are of the pixels as stored. Save it turned where it looks turned.");
  if (deep) warn("its 16 bits a channel are rounded to 8.");
  image.deep = {};
  return image;
}

Result<std::string> encode_png(const Image& image, const std::string& name) {
  assert(image.rgba.size() == static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 4);
  std::string bytes;
  const StbWriterMemory memory;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<size_t>(size));
  };
  if (!stbi_write_png_to_func(append, &bytes, image.width, image.height, 4, image.rgba.data(), image.width * 4)) {
    return Error{codes::file_unwritable, name, "the picture cannot be encoded.", "Make it smaller."};
  }
  return bytes;
}

Status save_png(const Image& image, const std::filesystem::path& file) {
  HW_TRY(const std::string bytes, encode_png(image, file.string()));
  return write_file_atomically(file, bytes);
}

}  // namespace hw
