// Augment: pictures turned, moved, scaled, mirrored and recoloured at random while training.
#include <cmath>
#include <numbers>

#include "engine/node/windows.h"
#include "engine/program/sample_grid.h"

namespace hw::nodes::augment {

static void declare(NodeDecl& d) {
  d.title("Augment").category("Layer").summary("Turns, moves, scales, mirrors and recolours pictures while training.");
  d.doc(
      "Training: each picture of [N, C, H, W] is turned about its middle by up to `rotation` degrees either way, "
      "scaled "
      "by a factor from 1 - `scale` to 1 + `scale`, moved by up to `shift` pixels along each axis, mirrored with "
      "probability 1/2 where `flip` is on, multiplied by a factor from 1 - `contrast` to 1 + `contrast`, and made "
      "brighter by up to `brightness` either way, all drawn evenly. Pixels are mixed of the four nearest; outside, "
      "`padding` takes 0 or the nearest pixel of the edge. Evaluation: `y = x`. The numbers come from Philox4x32-10 "
      "with the run's seed as key and (sample, node, step) as counter: the same on every device.");
  d.source("torchvision, `RandomAffine`, `RandomHorizontalFlip`, `ColorJitter`");
  d.keywords(
      "augmentation data random affine rotate shift translate crop flip mirror zoom color jitter brightness contrast "
      "RandomCrop RandomHorizontalFlip RandomRotation ColorJitter");
  d.real("shift", 2).docs("Pixels along each axis, at most.").range(0, 4096).in_unit("pixels");
  d.real("rotation", 0).docs("Degrees either way, at most.").range(0, 180).in_unit("degrees");
  d.real("scale", 0).docs("Share of the size that is added or taken away, at most.").at_least(0).at_most(0.9);
  d.boolean("flip", false).docs("Mirror half of the pictures left to right.");
  d.real("brightness", 0).docs("Added or taken away, at most.").range(0, 100);
  d.real("contrast", 0).docs("Share of the values that is added or taken away, at most.").range(0, 1);
  d.choice("padding", "zeros", {"zeros", "border"}).docs("What lies outside.");
  d.random();
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(windows::picture_size(a, "x"));
  return shapes::same_as(a, "x");
}

// What is drawn for each picture, evenly in [-1, 1].
enum Draw : int64_t { kAngle, kScale, kRight, kDown, kMirror, kBrightness, kContrast, kDraws };

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status() || !b.training()) return {x};
  const Params& p = a.params();
  const Dims dims = b[x].dims;
  const int64_t n = dims[0], height = dims[2], width = dims[3];
  const DType wide = b[x].dtype == DType::f64 ? DType::f64 : DType::f32;
  RandomAttr attr;
  attr.dims = {n, kDraws};
  attr.dtype = wide;
  attr.a = -1;
  const Val drawn = b.random(std::move(attr));
  const auto number = [&](double value) { return b.constant(Tensor::from_f64(wide, {}, {{value}})); };
  // One of them in each picture, from -most to most.
  const auto draw = [&](Draw which, double most) {
    return b.scale(b.reshape(b.slice(drawn, 1, which, which + 1), {n, 1, 1}), most);
  };
  // Distance of pixels along an axis from the middle.
  const auto from_middle = [&](int64_t size, Dims along) {
    std::vector<double> values;
    for (int64_t i = 0; i < size; ++i) values.push_back(static_cast<double>(i) + 0.5 - static_cast<double>(size) / 2);
    return b.constant(Tensor::from_f64(wide, std::move(along), values));
  };
  const Val across = from_middle(width, {1, 1, width}), down = from_middle(height, {1, height, 1});
  const Val angle = draw(kAngle, p.real("rotation") * std::numbers::pi / 180);
  const Val shrink = b.div(number(1), b.add(draw(kScale, p.real("scale")), number(1)));
  const Val cosine = b.mul(b.unary(UnaryFn::cos, angle), shrink), sine = b.mul(b.unary(UnaryFn::sin, angle), shrink);
  Val column = b.add(b.add(b.mul(cosine, across), b.mul(sine, down)), draw(kRight, p.real("shift")));
  const Val row = b.add(b.sub(b.mul(cosine, down), b.mul(sine, across)), draw(kDown, p.real("shift")));
  if (p.boolean("flip"))
    column = b.mul(column, b.where(b.compare(CompareFn::less, draw(kMirror, 1), number(0)), number(-1), number(1)));
  const auto ends = [&](Val at, int64_t size) {
    return b.reshape(b.scale(at, 2 / static_cast<double>(size)), {n, height, width, 1});
  };
  const std::array<Val, 2> both{ends(column, width), ends(row, height)};
  GridSampling how;
  if (p.text("padding") == "border") how.padding = GridSampling::Padding::border;
  Val y = b.cast(sample_grid(b, x, b.concat(both, 3), how), wide);
  const auto of_pictures = [&](Val each) { return b.reshape(each, {n, 1, 1, 1}); };
  if (p.real("contrast") > 0) y = b.mul(y, of_pictures(b.add(draw(kContrast, p.real("contrast")), number(1))));
  if (p.real("brightness") > 0) y = b.add(y, of_pictures(draw(kBrightness, p.real("brightness"))));
  const Val result = b.cast(y, b[x].dtype);
  if (b.status()) b.set_axes(result, b[x].axes);
  return {result};
}

static Examples examples() {
  const ExampleInput pictures{"x", DType::f32, {3, 2, 5, 4}, {"N", "C", "H", "W"}};
  return {{.name = "moved", .inputs = {pictures}, .tolerance_factor = 4},
          {.name = "all",
           .inputs = {pictures},
           .params = {{"shift", 1.0},
                      {"rotation", 20.0},
                      {"scale", 0.2},
                      {"flip", true},
                      {"brightness", 0.3},
                      {"contrast", 0.4},
                      {"padding", std::string("border")}},
           .tolerance_factor = 4},
          {.name = "unmoved", .inputs = {pictures}, .params = {{"shift", 0.0}}}};
}

}  // namespace hw::nodes::augment

HW_NODE(augment)
