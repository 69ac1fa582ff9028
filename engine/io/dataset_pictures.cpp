// A split of pictures: each brought to the size and the channels that the graph expects.
#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/io/assets.h"
#include "engine/io/dataset_classes.h"

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

/// Writes [C, H, W] bytes.
void resize_into(uint8_t* to, const Image& image, int64_t channels, int64_t height, int64_t width) {
  const std::vector<Span> columns = spans(image.width, width), rows = spans(image.height, height);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      double rgb[3] = {};
      const Span &down = rows[static_cast<size_t>(y)], &across = columns[static_cast<size_t>(x)];
      for (size_t j = 0; j < down.weights.size(); ++j) {
        for (size_t i = 0; i < across.weights.size(); ++i) {
          const size_t at = (static_cast<size_t>(down.first) + j) * static_cast<size_t>(image.width) +
                            static_cast<size_t>(across.first) + i;
          for (size_t c = 0; c < 3; ++c) rgb[c] += down.weights[j] * across.weights[i] * image.rgba[at * 4 + c];
        }
      }
      if (channels == 1) rgb[0] = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
      for (int64_t c = 0; c < channels; ++c)
        to[(c * height + y) * width + x] = static_cast<uint8_t>(std::lround(std::clamp(rgb[c], 0.0, 255.0)));
    }
  }
}

}  // namespace

Result<DatasetSplit> open_pictures(const SplitFiles& files, const DatasetSpec& spec) {
  if (spec.sample.size() != 3 || (spec.sample[0] != 1 && spec.sample[0] != 3)) {
    return Error{codes::asset_lacks, folder_of(files).string(),
                 "pictures are [C, H, W] with 1 or 3 channels, the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node, for example to [3, 64, 64]."};
  }
  auto source = source_of(files, spec, DType::u8);
  source->read = [files, spec](DatasetSplit& into) {
    const auto read = [&](const std::filesystem::path& file, std::byte* sample) -> Status {
      HW_TRY(const Image image, load_image(file));
      resize_into(reinterpret_cast<uint8_t*>(sample), image, spec.sample[0], spec.sample[1], spec.sample[2]);
      return ok();
    };
    return read_classes(files, spec, DType::u8, read, into);
  };
  return DatasetSplit{{}, {}, std::move(source)};
}

}  // namespace hw
