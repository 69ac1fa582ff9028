#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <memory>

#include "engine/core/codes.h"
#include "engine/io/assets.h"
#include "engine/io/file_bytes.h"
#include "engine/io/graph_file.h"
#include "engine/io/image_bytes.h"
#include "engine/io/image_format.h"
#include "engine/io/stb_memory.h"

namespace hw {
namespace {

constexpr uint64_t kMaxBytes = 256u << 20;        // of a picture file
constexpr int64_t kMaxPixels = int64_t{1} << 27;  // 512 MiB of RGBA
constexpr int kMaxSide = 16384;

/// stb tries one format after the other and keeps the reason of the last: of a file whose format is known only what
/// that format's own reader may have said counts.
std::string stb_reason(std::string_view bytes, ImageFormat format) {
  const std::string kind(name(format));
  if (is_cut_short(bytes, format)) return "the " + kind + " file is cut short";
  const char* given = stbi_failure_reason();
  const std::string reason = given ? given : "";
  const bool is_of_another = reason.empty() || reason == "unknown image type" || reason == "not BMP" ||
                             (reason == "bad png sig" && format != ImageFormat::png);
  if (format == ImageFormat::other) return is_of_another ? "unknown format" : reason;
  return "the " + kind + " file is damaged" + (is_of_another ? "" : " (" + reason + ")");
}

}  // namespace

Result<Image> decode_image(std::string_view bytes, const std::string& name) {
  const auto error = [&](const std::string& reason) {
    return Error{codes::asset_unreadable, name, "the picture cannot be read: " + reason + ".",
                 "Use PNG, JPEG, TGA or BMP."};
  };
  if (bytes.size() > kMaxBytes) return error("more than 256 MiB");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  Image image;
  int channels = 0;
  const ImageFormat format = image_format(bytes);
  // stb fills up what a JPEG lacks.
  if (format == ImageFormat::jpeg && is_cut_short(bytes, format)) return error(stb_reason(bytes, format));
  if (!stbi_info_from_memory(data, size, &image.width, &image.height, &channels))
    return error(stb_reason(bytes, format));
  if (image.width < 1 || image.height < 1 || image.width > kMaxSide || image.height > kMaxSide ||
      int64_t{image.width} * image.height > kMaxPixels) {
    return error(std::to_string(image.width) + " × " + std::to_string(image.height) + " pixels are too many");
  }
  // What decoders hold at a time: 28 bytes a pixel of an interlaced PNG with 16 bits, 16 of a progressive JPEG; rows
  // are padded to blocks of 16 pixels, what is packed is held up to twice.
  const auto pixels_of = [&](uint64_t padding) {
    return (static_cast<uint64_t>(image.width) + padding) * (static_cast<uint64_t>(image.height) + padding);
  };
  const uint64_t most = 28 * pixels_of(16) + 2 * bytes.size() + (uint64_t{1} << 20);
  HW_CHECK(check_memory_for(name, most + 4 * pixels_of(0)));
  const StbMemory memory(most);
  const std::unique_ptr<unsigned char, void (*)(void*)> pixels(
      stbi_load_from_memory(data, size, &image.width, &image.height, &channels, 4), stbi_image_free);
  if (!pixels && memory.exceeded())
    return error("it holds more than its " + std::to_string(image.width) + " × " + std::to_string(image.height) +
                 " pixels");
  if (!pixels) return error(stb_reason(bytes, format));
  const size_t count = static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 4;
  image.rgba.assign(pixels.get(), pixels.get() + count);
  return image;
}

Result<Image> load_image(const std::filesystem::path& file) {
  HW_TRY(const std::string bytes, read_file_bytes(file, kMaxBytes, codes::asset_unreadable));
  return decode_image(bytes, file.string());
}

Result<std::string> encode_png(const Image& image, const std::string& name) {
  assert(image.rgba.size() == static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 4);
  std::string bytes;
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
