// A split of pictures: each brought to the size and the channels that the graph expects.
#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/core/picture_channels.h"
#include "engine/io/dataset/dataset_classes.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/media/image_file.h"
#include "engine/io/media/image_format.h"
#include "engine/io/media/picture_facts.h"

namespace hw {
namespace {

/// Share of each source pixel in one target pixel, along one axis: a box as wide as a target pixel, or the nearest one
/// when the picture is made larger.
struct Span {
  int first;
  std::vector<double> weights;
};
std::vector<Span> spans(int from, int64_t to) {
  std::vector<Span> all;
  for (int64_t i = 0; i < to; ++i) {
    const double begin = static_cast<double>(i) * from / static_cast<double>(to);
    const double end = static_cast<double>(i + 1) * from / static_cast<double>(to);
    Span span{std::min(from - 1, static_cast<int>(begin)), {}};
    for (int k = span.first; k < from && (k < end || span.weights.empty()); ++k)
      span.weights.push_back(std::max(0.0, std::min(end, k + 1.0) - std::max(begin, static_cast<double>(k))));
    double sum = 0;
    for (const double w : span.weights) sum += w;
    for (double& w : span.weights) w /= sum;
    all.push_back(std::move(span));
  }
  return all;
}

/// Writes [C, H, W]. `value(at)`: of channel `at` of the picture; `put(at, value)`: into the sample.
template <class Value, class Put>
void resize_into(const Image& image, const Dims& sample, Value value, Put put) {
  const int64_t channels = sample[0], height = sample[1], width = sample[2];
  const std::vector<Span> columns = spans(image.width, width), rows = spans(image.height, height);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      double rgb[3] = {};
      const Span &down = rows[static_cast<size_t>(y)], &across = columns[static_cast<size_t>(x)];
      for (size_t j = 0; j < down.weights.size(); ++j) {
        for (size_t i = 0; i < across.weights.size(); ++i) {
          const size_t at = (static_cast<size_t>(down.first) + j) * static_cast<size_t>(image.width) +
                            static_cast<size_t>(across.first) + i;
          for (size_t c = 0; c < 3; ++c) rgb[c] += down.weights[j] * across.weights[i] * value(at * 4 + c);
        }
      }
      if (channels == 1) rgb[0] = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
      for (int64_t c = 0; c < channels; ++c) put((c * height + y) * width + x, rgb[c]);
    }
  }
}

void read_into(std::byte* sample, const Image& image, const Dims& sizes, DType dtype) {
  if (dtype == DType::u8) {
    auto* to = reinterpret_cast<uint8_t*>(sample);
    return resize_into(
        image, sizes, [&](size_t at) { return static_cast<double>(image.rgba[at]); },
        [&](int64_t at, double v) { to[at] = static_cast<uint8_t>(std::lround(std::clamp(v, 0.0, 255.0))); });
  }
  auto* to = reinterpret_cast<float*>(sample);
  resize_into(
      image, sizes, [&](size_t at) { return channel_value(image, at); },
      [&](int64_t at, double v) { to[at] = static_cast<float>(std::clamp(v, 0.0, 1.0)); });
}

/// Whether it is a PNG whose header says 16 bits a channel. Files of other names are not opened: there may be millions.
bool is_deep(const std::filesystem::path& file) {
  if (ending_of(file) != ".png") return false;
  constexpr size_t kDepthAt = 24;  // behind signature, length and name of IHDR, width, height
  const auto head = read_file_part(file, 0, kDepthAt + 1);
  return head && image_format(*head) == ImageFormat::png && (*head)[kDepthAt] == 16;
}

/// 1: grey, 3: colours, as its header says; 0: not known.
int colours_of(const std::filesystem::path& file) {
  constexpr size_t kKindAt = 25;                 // of a PNG, behind the depth; 0 and 4 are grey
  constexpr uint64_t kHead = uint64_t{1} << 16;  // of a JPEG, whose sizes stand behind a thumbnail
  const auto size = size_of_file(file);
  const auto head = read_file_part(file, 0, size ? std::min(*size, kHead) : 0);
  if (!head) return 0;
  const ImageFormat format = image_format(*head);
  if (format == ImageFormat::png && head->size() > kKindAt)
    return (*head)[kKindAt] == 0 || (*head)[kKindAt] == 4 ? 1 : 3;
  if (format != ImageFormat::jpeg) return 0;
  const int components = picture_facts(*head, format).components;
  return components > 1 ? 3 : components;
}

/// The same of all classes' first pictures; 0: they differ.
int colours_of(const SplitFiles& split) {
  int all = -1;
  for (const auto& of_class : split.by_class) {
    if (of_class.empty()) continue;
    const int colours = colours_of(of_class.front());
    if (all >= 0 && colours != all) return 0;
    all = colours;
  }
  return std::max(all, 0);
}

}  // namespace

std::string colour_mismatch(const DatasetFiles& files, const DatasetSpec& spec) {
  if (spec.sample.size() != 3 || spec.sample[0] != 3) return {};
  const int train = colours_of(files.train), test = colours_of(files.test);
  if (train == 0 || test == 0 || train == test) return {};
  return std::string("The training pictures are ") +
         (train == 1 ? "grey and the test pictures coloured" : "coloured and the test pictures grey") +
         ": the network is measured on other pictures than it is trained on. With a sample of [1, H, W] all are made "
         "grey.";
}

DType dtype_of_pictures(const DatasetFiles& files) {
  for (const SplitFiles* split : {&files.train, &files.test})
    for (const auto& of_class : split->by_class)
      if (std::ranges::any_of(of_class, is_deep)) return DType::f32;
  return DType::u8;
}

Result<DatasetSplit> open_pictures(const SplitFiles& files, const DatasetSpec& spec, DType dtype) {
  if (spec.sample.size() != 3 || (spec.sample[0] != 1 && spec.sample[0] != 3)) {
    return Error{codes::asset_lacks, folder_of(files).string(),
                 "pictures are [C, H, W] with 1 or 3 channels, the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node, for example to [3, 64, 64]."};
  }
  auto source = source_of(files, spec, dtype);
  source->read = [files, spec, dtype](DatasetSplit& into) {
    const auto read = [&](const std::filesystem::path& file, std::byte* sample) -> Status {
      HW_TRY(const Image image, load_image(file));
      read_into(sample, image, spec.sample, dtype);
      return ok();
    };
    return read_classes(files, spec, dtype, read, into);
  };
  return DatasetSplit{{}, {}, std::move(source)};
}

}  // namespace hw
