// What an Image View node shows, without a window: its picture and how close it is to the original.
#pragma once

#include "app/cli/graph_input.h"
#include "app/cli/weights_choice.h"
#include "engine/field/picture.h"

namespace hw::cli {

/// An Image View's original, and the field over it with its weights set.
struct ImageViewScene {
  std::shared_ptr<const Image> image;
  std::shared_ptr<FieldEvaluator> field;  // null: the original alone
  bool linear = false;
};
/// `device`: the field's alone from now on. `weights` null: initial ones for the Train node's seed, as for those that
/// `partial` weights lack. Errors: assets, HW-G007, HW-F005.
Result<ImageViewScene> make_image_view(const Graph& graph, const std::shared_ptr<Assets>& assets,
                                       const ImageViewSources& view, std::shared_ptr<Device> device,
                                       std::shared_ptr<const Weights> weights, bool partial);

/// PSNR in dB of the first Image View's field, evaluated on `device`, against its original, all pixels; nothing where
/// the graph has none.
Result<std::optional<double>> image_view_psnr(const Graph& graph, const std::shared_ptr<Assets>& assets,
                                              const std::string& device, std::shared_ptr<const Weights> weights);

/// A picture that was written.
struct DrawnPicture {
  std::string graph, file;
  int width = 0, height = 0;
  std::optional<double> psnr = {};  // dB; none: not asked for
  std::string psnr_is = {};         // what is compared with what
};
/// In words, or as JSON: {graph, files, width, height, psnr, psnr_is}.
void print(const DrawnPicture& picture, bool json);

/// What render was asked for, where an Image View is what it draws.
struct PictureOptions {
  std::string out;
  WeightsChoice weights;
  std::optional<std::pair<int, int>> size;  // none: the original's
  double split = 0;                         // share of the width, from the left, that shows the original
  bool compare = false, json = false;
};
/// Draws the Image View's picture into a PNG. `device`: the field's alone from now on. Exit code.
int render_image_view(const PictureOptions& o, const LoadedGraph& loaded, const ImageViewSources& view,
                      std::shared_ptr<Device> device);

}  // namespace hw::cli
