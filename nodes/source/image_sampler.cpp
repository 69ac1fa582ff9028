// Image sampler: random points of a picture with their colours, anew at every step.
#include "engine/node/node_type.h"

namespace hw::nodes::image_sampler {

static void declare(NodeDecl& d) {
  d.title("Image Sampler").category("Source").summary("Random points of a picture, with its colour there.");
  d.doc(
      "N points, uniform over the picture, drawn anew at every step by Philox4x32-10 from the run's seed: the same "
      "points "
      "on every device. Both outputs are f32: `position` [N, 2] in [0, 1], from left to right and from top to bottom; "
      "`color` [N, 3] in [0, 1]. Pixel centres lie at (i + ½) / size. `bilinear` mixes the four pixels around a point, "
      "`nearest` takes the one that holds it, `centres` also moves the point to its middle. Colours are sRGB-encoded "
      "as "
      "stored, or, with `linear`, decoded to linear light (IEC 61966-2-1) before they are mixed. Position is the "
      "domain "
      "variable `pixel`: an Image View evaluates what depends on it at its own pixels.");
  d.source("Müller et al. 2022, Instant Neural Graphics Primitives (gigapixel images); Salmon et al. 2011 (Philox)");
  d.keywords("points random pixels samples photograph picture training data batch");
  d.integer("points", 65536).docs("Points at each step: the batch size.").range(1, 1 << 24).logarithmic().batch();
  d.choice("sampling", "bilinear", {"bilinear", "nearest", "centres"}).docs("Colour between pixels.");
  d.boolean("linear", false).docs("Decode colours from sRGB to linear light.");
  d.random();
  d.input("image").image();
  d.output("position").with_axes("N D").provides("pixel").dtypes({DType::f32}).docs("In [0, 1]; y points down.");
  d.output("color").labelled("Colour").with_axes("N C").dtypes({DType::f32}).docs("In [0, 1].").up_to(1);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Axis n{"N", a.params().integer("points"), ""};
  return Shapes{{.dtype = DType::f32, .shape = {n, {"D", 2, ""}}}, {.dtype = DType::f32, .shape = {n, {"C", 3, ""}}}};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  using Mode = SampleImageAttr::Mode;
  const std::string& sampling = a.params().text("sampling");
  if (!b.status()) return {Val{}, Val{}};
  SampleImageAttr attr;
  attr.image = a.image("image");
  attr.points = a.params().integer("points");
  attr.mode = sampling == "bilinear" ? Mode::bilinear : sampling == "nearest" ? Mode::nearest : Mode::centres;
  attr.linear = a.params().boolean("linear");
  const auto s = b.sample_image(std::move(attr));
  return {s.position, s.colour};
}

static Examples examples() {
  const std::string why = "samples do not depend on a tensor";
  const auto with = [&](const char* name, int64_t points, const char* sampling, bool linear) {
    return Example{.name = name,
                   .inputs = {{.socket = "image"}},
                   .params = {{"points", points}, {"sampling", std::string(sampling)}, {"linear", linear}},
                   .no_gradient_because = why};
  };
  return {with("bilinear", 257, "bilinear", false), with("bilinear_linear", 100, "bilinear", true),
          with("nearest", 63, "nearest", false), with("centres", 41, "centres", true)};
}

}  // namespace hw::nodes::image_sampler

HW_NODE(image_sampler)
