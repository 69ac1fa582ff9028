// render of an Image View node: its picture, and how close it is to the original.
#pragma once

#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "engine/field/picture.h"

namespace hw::cli {

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
int render_image_view(const PictureOptions& o, const OpenGraph& loaded, const ImageViewSources& view,
                      std::shared_ptr<Device> device);

}  // namespace hw::cli
