// Global Avg Pool: each channel's mean over the whole picture.
#include "engine/node/windows.h"

namespace hw::nodes::global_avg_pool {

static void declare(NodeDecl& d) {
  d.title("Global Avg Pool").category("Layer").summary("Each channel's mean over the whole picture.");
  d.doc(
      "[N, C, H, W] to [N, C], or to [N, C, 1, 1] with `keep_axes`. Sums are f32 (f64 for f64). The usual last step "
      "before a classifier's Linear.");
  d.source("Lin et al. 2013, Network In Network; ONNX, GlobalAveragePool");
  d.keywords("average mean pooling gap classifier head picture image GlobalAveragePool GlobalAveragePooling2D");
  d.boolean("keep_axes", false).docs("Keep H and W with size 1, as ONNX does.");
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(windows::picture_size(a, "x"));
  const Shape& x = a.shape("x");
  if (a.params().boolean("keep_axes"))
    return Shapes{shapes::tensor(a.dtype("x"), windows::resized(x, x[1].size, {1, 1}))};
  return Shapes{shapes::tensor(a.dtype("x"), Shape{x[0], x[1]})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  PoolAttr attr;
  attr.adaptive = true;
  const Val x = a.in("x"), y = b.emit(Op::avg_pool, {x}, attr)[0];
  if (!b.status() || a.params().boolean("keep_axes")) return {y};
  std::vector<std::string> axes = b[x].axes;
  if (!axes.empty()) axes.resize(2);
  return {b.reshape(y, {b[x].dims[0], b[x].dims[1]}, axes)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  return {
      {.name = "features", .inputs = {{"x", DType::f32, {3, 4, 5, 3}, axes}}, .tolerance_factor = 4},
      {.name = "kept",
       .inputs = {{"x", DType::f32, {1, 2, 4, 4}, axes}},
       .params = {{"keep_axes", true}},
       .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::global_avg_pool

HW_NODE(global_avg_pool)
