// Image Tensor: a picture as a tensor of fixed size.
#include <algorithm>
#include <cmath>

#include "engine/core/picture_channels.h"
#include "engine/core/srgb.h"
#include "engine/node/shapes.h"

namespace hw::nodes::image_tensor {

static void declare(NodeDecl& d) {
  d.title("Image Tensor").category("Source").summary("A whole picture as a tensor, scaled to a size.");
  d.doc(
      "`y` [1, 3, height, width] f32 in [0, 1]: red, green, blue, rows from top to bottom. Each pixel is the mean of "
      "the "
      "part of the picture that it covers, so that nothing is skipped when it is made smaller; the proportions are not "
      "kept. sRGB-encoded as stored, or, with `linear`, decoded to linear light (IEC 61966-2-1) before the mean. "
      "Transparency is ignored. The same at every step: what a network looks at, where the Image Sampler gives "
      "points.");
  d.source("OpenCV, `cv::resize` with `INTER_AREA`");
  d.keywords("photo photograph picture pixels scaled input array vision");
  d.integer("width", 64).in_unit("pixels").range(1, 4096).logarithmic();
  d.integer("height", 64).in_unit("pixels").range(1, 4096).logarithmic();
  d.boolean("linear", false).docs("Decode colours from sRGB to linear light.");
  d.input("image").image();
  d.output("y").with_axes("N C H W").dtypes({DType::f32}).docs("In [0, 1].").up_to(1);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape shape{
      {"N", 1, ""}, {"C", 3, ""}, {"H", a.params().integer("height"), ""}, {"W", a.params().integer("width"), ""}};
  return Shapes{shapes::tensor(DType::f32, shape)};
}

// What pixel `i` of `to` covers of `from` pixels: (pixel, share of the mean).
static std::vector<std::pair<int64_t, double>> covered(int64_t i, int64_t from, int64_t to) {
  const double size = static_cast<double>(from) / static_cast<double>(to);
  const double begin = static_cast<double>(i) * size, end = begin + size;
  std::vector<std::pair<int64_t, double>> parts;
  for (auto p = static_cast<int64_t>(begin); p < from && static_cast<double>(p) < end; ++p) {
    const double low = std::max(begin, static_cast<double>(p)), high = std::min(end, static_cast<double>(p) + 1);
    if (high > low) parts.emplace_back(p, (high - low) / size);
  }
  return parts;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Image& image = *a.image("image");
  const int64_t width = a.params().integer("width"), height = a.params().integer("height");
  const bool linear = a.params().boolean("linear");
  Tensor y = Tensor::zeros(DType::f32, {1, 3, height, width});
  std::vector<std::vector<std::pair<int64_t, double>>> columns;
  for (int64_t j = 0; j < width; ++j) columns.push_back(covered(j, image.width, width));
  for (int64_t i = 0; i < height; ++i) {
    const auto rows = covered(i, image.height, height);
    for (int64_t j = 0; j < width; ++j) {
      for (int64_t channel = 0; channel < 3; ++channel) {
        double sum = 0;
        for (const auto& [row, down] : rows) {
          for (const auto& [column, across] : columns[static_cast<size_t>(j)]) {
            const auto at = static_cast<size_t>((row * image.width + column) * 4 + channel);
            const auto value = static_cast<float>(channel_value(image, at));
            sum += down * across * static_cast<double>(linear ? decode_srgb(value) : value);
          }
        }
        y.as<float>()[(channel * height + i) * width + j] = static_cast<float>(sum);
      }
    }
  }
  const Val value = b.constant(y);
  b.set_axes(value, {"N", "C", "H", "W"});
  return {value};
}

static Examples examples() {
  const auto with = [](const char* name, int64_t width, int64_t height, bool linear) {
    return Example{.name = name,
                   .inputs = {{.socket = "image"}},
                   .params = {{"width", width}, {"height", height}, {"linear", linear}},
                   .no_gradient_because = "a picture has no gradient"};
  };
  return {with("smaller", 3, 4, false), with("as_it_is", 8, 7, true), with("larger", 11, 9, false)};
}

}  // namespace hw::nodes::image_tensor

HW_NODE(image_tensor)
