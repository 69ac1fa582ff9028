// Max Pool: the largest element of each window.
#include "engine/node/windows.h"

namespace hw::nodes::max_pool {

static void declare(NodeDecl& d) {
  d.title("Max Pool").category("Layer").summary("The largest element of each window of a picture.");
  d.doc(
      "[N, C, H, W] to [N, C, H', W'] with `H' = ⌊(H + padding - kernel) / stride⌋ + 1`. Padding counts as minus "
      "infinity, and is at most half of the window. A NaN in a window is its maximum. The gradient goes to the first "
      "maximum in row-major order: where two elements of a window are equal, or close to it, the maximum has a kink "
      "there and a difference quotient differs.");
  d.source("PyTorch, `torch.nn.MaxPool2d`; ONNX, MaxPool");
  d.keywords("maxpool pooling downsample subsample picture image MaxPooling2D");
  d.vector("kernel_size", {2}).labelled("Window").docs("One number, or H and W.");
  d.vector("stride", {0}).docs("One number, or H and W; 0: as large as the window.");
  d.text("padding", "valid").docs("same, valid, or elements around: 1 number, 2 (H W) or 4 (top left bottom right).");
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return windows::pooled(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const auto attr = windows::pool_of(a.params(), windows::size_of_picture(b[x].dims));
  if (!attr) return b.fail(attr.error()), Lowered{Val{}};
  return {b.emit(Op::max_pool, {x}, *attr)[0]};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "halves", .inputs = {{"x", DType::f32, {2, 3, 6, 4}, axes}}},
      {.name = "odd_overlapping",
       .inputs = {{"x", DType::f32, {1, 2, 7, 5}, axes}},
       .params = {{"kernel_size", List{3}}, {"stride", List{2, 1}}, {"padding", std::string("1")}}},
      {.name = "same",
       .inputs = {{"x", DType::f32, {2, 1, 5, 6}, axes}},
       .params = {{"kernel_size", List{2, 3}}, {"stride", List{1}}, {"padding", std::string("same")}}},
  };
}

}  // namespace hw::nodes::max_pool

HW_NODE(max_pool)
