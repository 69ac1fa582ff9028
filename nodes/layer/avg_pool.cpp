// Avg Pool: the mean of each window.
#include "engine/node/windows.h"

namespace hw::nodes::avg_pool {

static void declare(NodeDecl& d) {
  d.title("Avg Pool").category("Layer").summary("The mean of each window of a picture.");
  d.doc(
      "[N, C, H, W] to [N, C, H', W'] with `H' = ⌊(H + padding - kernel) / stride⌋ + 1`. Padding is zeros, at most "
      "half "
      "of the window. With `count_include_pad` a window is divided by all its elements, padding among them (PyTorch's "
      "default); without, by those inside the picture (ONNX's default). Sums are f32 (f64 for f64).");
  d.source("PyTorch, `torch.nn.AvgPool2d`; ONNX, AveragePool");
  d.keywords("average mean pooling avgpool downsample picture image AveragePool AveragePooling2D");
  d.vector("kernel_size", {2}).labelled("Window").docs("One number, or H and W.");
  d.vector("stride", {0}).docs("One number, or H and W; 0: as large as the window.");
  d.text("padding", "valid").docs("same, valid, or elements around: 1 number, 2 (H W) or 4 (top left bottom right).");
  d.boolean("count_include_pad", true).labelled("Count padding").docs("Divide by the padding too.");
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return windows::pooled(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  auto attr = windows::pool_of(a.params(), windows::size_of_picture(b[x].dims));
  if (!attr) return b.fail(attr.error()), Lowered{Val{}};
  attr->count_padding = a.params().boolean("count_include_pad");
  return {b.emit(Op::avg_pool, {x}, *attr)[0]};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "halves", .inputs = {{"x", DType::f32, {2, 3, 6, 4}, axes}}, .tolerance_factor = 2},
      {.name = "odd_overlapping",
       .inputs = {{"x", DType::f32, {1, 2, 7, 5}, axes}},
       .params = {{"kernel_size", List{3}}, {"stride", List{2, 1}}, {"padding", std::string("1")}},
       .tolerance_factor = 3},
      {.name = "inside_same",
       .inputs = {{"x", DType::f32, {2, 1, 5, 6}, axes}},
       .params = {{"kernel_size", List{2, 3}},
                  {"stride", List{1}},
                  {"padding", std::string("same")},
                  {"count_include_pad", false}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::avg_pool

HW_NODE(avg_pool)
