// Triplane Sampler: features of three planes at positions in space.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::triplane_sampler {

static void declare(NodeDecl& d) {
  d.title("Triplane Sampler").category("Encoder").summary("Looks positions up in three feature planes.");
  d.doc(
      "`position` [N, 3] f32 in [0, 1] and `planes` [3, C, H, W] to `features` [N, 3 · C], or, with `combine` sum, "
      "[N, C]. The first plane lies along x and y, the second along x and z, the third along y and z: of each pair the "
      "first runs along W, the second along H. Pixel centres lie at (i + ½) / size; between them the four pixels "
      "around "
      "are mixed (bilinear); beyond the outermost the border's pixel counts. Computed in f32 (f64 for f64), rounded "
      "once; the gradient of the planes accumulates in f32. The gradient of the position jumps where it crosses a row "
      "or column of centres.");
  d.source(
      "Chan et al. 2022, Efficient Geometry-aware 3D Generative Adversarial Networks; PyTorch, `grid_sample` with "
      "`padding_mode='border'`, `align_corners=False`");
  d.keywords("tri-plane planes grid sample bilinear interpolation nerf triposr lrm eg3d lookup");
  d.choice("combine", "concat", {"concat", "sum"}).docs("What becomes of the three planes' features.");
  d.input("position").with_axes("N D").dtypes({DType::f32}).docs("In [0, 1]; see Normalise.");
  d.input("planes").dtype_group("T", running_floats()).with_axes("planes C H W");
  d.output("features").dtype_group("T").with_axes("N C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "position", "N D"));
  HW_TRY(const int64_t dims, shapes::last_size(a, "position"));
  if (dims != 3)
    return Error{codes::size_mismatch, "position",
                 "axis D must have size 3: positions in space; got " + to_string(a.shape("position")) + ".",
                 "Slice the components that are positions."};
  HW_CHECK(shapes::require_axes(a, "planes", "planes C H W"));
  const Shape& planes = a.shape("planes");
  for (const Axis& axis : planes.axes()) {
    if (!axis.known() || axis.size < 1)
      return Error{codes::size_mismatch, "planes", "every size must be known and not 0, got " + to_string(planes) + ".",
                   ""};
  }
  if (planes[0].size != 3)
    return Error{codes::size_mismatch, "planes", "there must be three planes, got " + to_string(planes) + ".",
                 "Reshape what holds them to [3, C, H, W]."};
  const int64_t channels = size_product({planes[1].size, a.params().text("combine") == "sum" ? 1 : 3});
  return Shapes{shapes::tensor(a.dtype("planes"), Shape{a.shape("position")[0], {"C", channels, ""}})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("position"), planes = a.in("planes");
  if (!b.status()) return {Val{}};
  Val features = b.triplane(x, planes);
  if (!b.status()) return {Val{}};
  const int64_t points = b[x].dims[0], channels = b[planes].dims[1];
  if (a.params().text("combine") == "sum") features = b.sum(b.reshape(features, {points, 3, channels}), {1});
  b.set_axes(features, {b[x].axes.empty() ? "" : b[x].axes.front(), "C"});
  return {features};
}

static Examples examples() {
  const auto inputs = [](int64_t points, Dims planes) {
    return std::vector<ExampleInput>{{"position", DType::f32, {points, 3}, {"N", "D"}, 0, 1},
                                     {"planes", DType::f32, std::move(planes), {"planes", "C", "H", "W"}}};
  };
  return {
      {.name = "square", .inputs = inputs(37, {3, 4, 5, 5}), .tolerance_factor = 4},
      {.name = "wide",
       .inputs = inputs(23, {3, 2, 3, 7}),
       .params = {{"combine", std::string("sum")}},
       .tolerance_factor = 4},
      {.name = "one_pixel", .inputs = inputs(9, {3, 5, 1, 2}), .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::triplane_sampler

HW_NODE(triplane_sampler)
