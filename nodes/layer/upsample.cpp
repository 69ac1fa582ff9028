// Upsample: pictures made larger by whole factors.
#include "engine/core/sizes.h"
#include "engine/node/windows.h"

namespace hw::nodes::upsample {

static void declare(NodeDecl& d) {
  d.title("Upsample").category("Layer").summary("Makes pictures larger by whole factors.");
  d.doc(
      "[N, C, H, W] to [N, C, H · factor, W · factor]. `nearest` repeats elements. `bilinear` mixes the four nearest: "
      "element i lies at (i + ½) / factor - ½ of the input, not below 0 (half-pixel centres); with `align_corners` at "
      "i · (H - 1) / (H · factor - 1), so that the corners keep their values. Arithmetic is f32 (f64 for f64).");
  d.source("PyTorch, `torch.nn.Upsample`; ONNX, Resize");
  d.keywords("resize enlarge nearest bilinear scale decoder picture image UpSampling2D");
  d.vector("factor", {2}).docs("One number, or H and W.");
  d.choice("mode", "nearest", {"nearest", "bilinear"}).docs("How new elements are made.");
  d.boolean("align_corners", false).docs("Bilinear alone: keep the values of the corners.");
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Pair size, windows::picture_size(a, "x"));
  HW_TRY(const Pair factor, windows::pair_of(a.params(), "factor", 1));
  const Shape& x = a.shape("x");
  return Shapes{shapes::tensor(
      a.dtype("x"),
      windows::resized(x, x[1].size, {size_product({size[0], factor[0]}), size_product({size[1], factor[1]})}))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const auto factor = windows::pair_of(a.params(), "factor", 1);
  if (!factor) return b.fail(factor.error()), Lowered{Val{}};
  const Pair size = windows::size_of_picture(b[x].dims);
  ResizeAttr attr;
  attr.kind = a.params().text("mode") == "nearest" ? ResizeAttr::Kind::nearest : ResizeAttr::Kind::bilinear;
  attr.align_corners = a.params().boolean("align_corners");
  attr.size = {size_product({size[0], (*factor)[0]}), size_product({size[1], (*factor)[1]})};
  return {b.emit(Op::resize, {x}, attr)[0]};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "nearest", .inputs = {{"x", DType::f32, {2, 3, 3, 5}, axes}}, .params = {{"factor", List{2, 3}}}},
      {.name = "bilinear",
       .inputs = {{"x", DType::f32, {1, 2, 5, 3}, axes}},
       .params = {{"mode", std::string("bilinear")}},
       .tolerance_factor = 2},
      {.name = "corners",
       .inputs = {{"x", DType::f32, {1, 2, 4, 1}, axes}},
       .params = {{"factor", List{3}}, {"mode", std::string("bilinear")}, {"align_corners", true}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::upsample

HW_NODE(upsample)
