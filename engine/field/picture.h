// The picture an Image View shows: a field at the centres of pixels, and its difference from the original.
#pragma once

#include "engine/core/mesh.h"
#include "engine/field/evaluator.h"

namespace hw {

/// An Image View node and what is wired into it.
struct ImageViewSources {
  std::string node;
  std::optional<SocketRef> image;
  std::optional<Field> field;
  bool linear = false;  // the field's colours are linear light
};
/// The sources of one node, or of the first that is not bypassed. Nothing when there is none.
std::optional<ImageViewSources> image_view_of(const Node& node, const Graph& graph);
std::optional<ImageViewSources> find_image_view(const Graph& graph);

/// The field's colours, sRGB-encoded, [height · width · 3], rows top to bottom, at the centres of `width` × `height`
/// pixels that share the square [0, 1]². `linear`: the field gives linear light. The field's weights must be set.
Result<std::vector<float>> picture_of(FieldEvaluator& field, int width, int height, bool linear,
                                      const std::atomic<bool>* cancel = nullptr);
/// 8 bits a channel, clamped to [0, 1]; NaN is black.
Image to_image(std::span<const float> colours, int width, int height);
/// −10 log10 of the mean squared difference of all channels of all pixels, peak 1, dB; `colours` as picture_of gives
/// them, clamped as they are shown. Infinite when equal; NaN when a colour is.
double psnr_of(std::span<const float> colours, const Image& original);

}  // namespace hw
