// Image: a picture from a file.
#include "engine/node/node_type.h"

namespace hw::nodes::image_source {

static void declare(NodeDecl& d) {
  d.title("Image").category("Source").summary("Loads a picture from a file.");
  d.doc(
      "PNG, JPEG, TGA or BMP, at most 16384 pixels a side: 8 bits a channel stand for value / 255, 16 bits (PNG) for "
      "value / 65535. A picture that a camera held turned (EXIF orientation) is turned upright, as viewers show it. "
      "CMYK is converted without its colour profile, and of an animation the first frame is read: a warning says so. "
      "Values stay sRGB-encoded as they are in the file; the Image Sampler can decode them. `asset:NAME` is looked up "
      "beside the graph and in the asset folders; "
      "another path is relative to the graph file. A changed file is read again.");
  d.source("stb_image");
  d.keywords("photo photograph picture texture load file png jpeg asset");
  d.path("path", "").labelled("File").docs("`asset:NAME`, or a path relative to the graph file.");
  d.output("image").image();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.params().text("path").empty())
    return Error{codes::bad_parameter, "path", "no file is chosen yet.", "Choose a picture."};
  return Shapes{{.kind = Kind::image}};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  auto image = a.assets().image(a.params().text("path"));
  if (image) return {*image};
  b.fail(image.error());
  return {std::shared_ptr<const Image>()};
}

static Examples examples() {
  return {{.name = "file",
           .params = {{"path", std::string("asset:picture.png")}},
           .no_gradient_because = "a picture has no gradient"}};
}

}  // namespace hw::nodes::image_source

HW_NODE(image_source)
