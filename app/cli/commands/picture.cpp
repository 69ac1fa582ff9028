#include "app/cli/commands/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/viewers.h"
#include "engine/io/media/image_file.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

/// The original in place of the left part; nearest pixel where the sizes differ.
void overlay_original(Image& picture, const Image& original, double split) {
  const int columns = static_cast<int>(std::lround(split * picture.width));
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < columns; ++x) {
      const int64_t from_y = (int64_t{2} * y + 1) * original.height / (2 * picture.height);
      const int64_t from_x = (int64_t{2} * x + 1) * original.width / (2 * picture.width);
      std::copy_n(original.rgba.begin() + (from_y * original.width + from_x) * 4, 4,
                  picture.rgba.begin() + (int64_t{y} * picture.width + x) * 4);
    }
  }
}

}  // namespace

void print(const DrawnPicture& p, bool json) {
  if (json) {
    return print_json({{"graph", p.graph},
                       {"files", {p.file}},
                       {"width", p.width},
                       {"height", p.height},
                       {"psnr", p.psnr ? ordered_json(*p.psnr) : ordered_json()},
                       {"psnr_is", p.psnr_is}});
  }
  std::printf("%s: %d × %d pixels\n", p.file.c_str(), p.width, p.height);
  if (p.psnr) std::printf("PSNR %.2f dB: %s\n", *p.psnr, p.psnr_is.c_str());
}

int render_image_view(const PictureOptions& o, const OpenGraph& loaded, const ImageViewSources& view,
                      std::shared_ptr<Device> device) {
  const auto scene = noted(load_image_view, loaded, view, o.weights, std::move(device));
  if (!scene) return report(scene.error());
  if (o.compare && !scene->field) {
    return report(Error{codes::asset_lacks, view.node, "--compare needs a field.",
                        "Wire a field to the Image View, or leave --compare out."});
  }
  const auto [width, height] = o.size.value_or(std::pair(scene->image->width, scene->image->height));
  Image picture{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * static_cast<size_t>(height) * 4)};
  if (scene->field) {
    const auto colours = picture_of(*scene->field, width, height, scene->linear);
    if (!colours) return report(colours.error());
    picture = to_image(*colours, width, height);
  }
  overlay_original(picture, *scene->image, scene->field ? o.split : 1);
  if (const Status saved = save_png(picture, o.out); !saved) return report(saved.error());
  DrawnPicture drawn{loaded.file, o.out, width, height};
  if (o.compare) {
    const auto psnr = image_view_psnr(*scene, view.node);
    if (!psnr) return report(psnr.error());
    drawn.psnr = *psnr;
    drawn.psnr_is = "field against the picture, " +
                    std::to_string(int64_t{scene->image->width} * scene->image->height) +
                    " pixels, sRGB-encoded values, peak 1";
  }
  print(drawn, o.json);
  return kDone;
}

}  // namespace hw::cli
