#include "engine/field/picture.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/picture_channels.h"
#include "engine/core/srgb.h"

namespace hw {

std::optional<ImageViewSources> image_view_of(const Node& node, const Graph& graph) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || type->decl.role() != Role::picture || node.bypassed) return std::nullopt;
  ImageViewSources sources;
  sources.node = node.id;
  sources.linear = std::get<bool>(param_value(node, "linear"));
  for (const SocketDecl& input : type->decl.inputs()) {
    if (input.kind != Kind::image) continue;
    const auto links = graph.links_into(node.id, input.id);
    if (!links.empty()) sources.image = SocketRef{links[0].from, links[0].from_socket};
  }
  sources.field = field_into(graph, node);
  return sources;
}

std::optional<ImageViewSources> find_image_view(const Graph& graph) {
  for (const auto& [id, node] : graph.nodes())
    if (auto found = image_view_of(node, graph)) return found;
  return std::nullopt;
}

Result<std::vector<float>> picture_of(FieldEvaluator& field, int width, int height, bool linear,
                                      const std::atomic<bool>* cancel) {
  assert(width > 0 && height > 0 && field.channels() == Channels::color);
  std::vector<float> positions;
  positions.reserve(static_cast<size_t>(width) * static_cast<size_t>(height) * 2);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      positions.push_back((static_cast<float>(x) + 0.5f) / static_cast<float>(width));
      positions.push_back((static_cast<float>(y) + 0.5f) / static_cast<float>(height));
    }
  }
  HW_TRY(std::vector<float> values, field.evaluate({positions.size() / 2, {{"pixel", positions}}}, cancel));
  if (linear) std::transform(values.begin(), values.end(), values.begin(), encode_srgb);
  return values;
}

Image to_image(std::span<const float> colours, int width, int height) {
  Image image{width, height, {}};
  image.rgba.reserve(colours.size() / 3 * 4);
  for (size_t i = 0; i < colours.size(); ++i) {
    const float c = colours[i];
    image.rgba.push_back(c > 0 ? static_cast<uint8_t>(std::lround(std::min(c, 1.0f) * 255)) : uint8_t{0});
    if (i % 3 == 2) image.rgba.push_back(255);
  }
  return image;
}

double psnr_of(std::span<const float> colours, const Image& original) {
  assert(colours.size() * 4 == original.rgba.size() * 3);
  double sum = 0;
  for (size_t i = 0; i < colours.size(); ++i) {
    const double shown = colours[i] < 0 ? 0 : colours[i] > 1 ? 1 : static_cast<double>(colours[i]);
    const double d = shown - channel_value(original, i / 3 * 4 + i % 3);
    sum += d * d;
  }
  return -10 * std::log10(sum / static_cast<double>(colours.size()));
}

}  // namespace hw
