// Image view: a field over a picture's pixels, beside the picture. Lowers to nothing: the view evaluates the field.
#include "engine/node/shapes.h"

namespace hw::nodes::image_view {

static void declare(NodeDecl& d) {
  d.title("Image View").category("View").summary("Shows what the network says at every pixel, beside the picture.");
  d.doc(
      "`field` [N, 3] is a colour in [0, 1] that depends on the position of an Image Sampler. It is evaluated anew at "
      "the "
      "centre of every pixel of the picture, in evaluation mode. Colours are sRGB-encoded; with `linear` they are "
      "linear "
      "light and are encoded to be shown. Where it is the picture that is learnt, the PSNR against it is measured: "
      "over "
      "all pixels, of sRGB-encoded values, peak 1. Without a field the picture is shown alone.");
  d.source("Blender, fields");
  d.keywords("picture photograph show display compare psnr pixels preview");
  d.role(Role::picture);
  d.boolean("linear", false).docs("The field's colours are linear light.");
  d.input("image").image().docs("The original.");
  d.input("field").shows(Channels::color, {"pixel"}).dtype_group("T", running_floats()).may_be_open().docs("Colour.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.in("field")) HW_CHECK(shapes::require_field(a, "field"));
  return Shapes{};
}

static Lowered lower(OpBuilder&, const LowerArgs&) {
  return {};
}

static Examples examples() {
  const std::string why = "it has no outputs";
  return {
      {.name = "field",
       .inputs = {{.socket = "image"}, {"field", DType::f32, {16, 3}, {"N", "C"}, 0, 1}},
       .no_gradient_because = why},
      {.name = "image_alone", .inputs = {{.socket = "image"}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::image_view

HW_NODE(image_view)
