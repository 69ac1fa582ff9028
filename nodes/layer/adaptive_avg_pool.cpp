// Adaptive Avg Pool: means over as many windows as the output has elements.
#include "engine/node/windows.h"

namespace hw::nodes::adaptive_avg_pool {

static void declare(NodeDecl& d) {
  d.title("Adaptive Avg Pool").category("Layer").summary("Averages a picture of any size down to a given one.");
  d.doc(
      "[N, C, H, W] to [N, C, output_size]: element i along an axis is the mean of [⌊i · H / H'⌋, ⌈(i + 1) · H / H'⌉), "
      "so windows may overlap by one element and differ in size. An output larger than the picture repeats elements. "
      "Sums are f32 (f64 for f64).");
  d.source("PyTorch, `torch.nn.AdaptiveAvgPool2d`");
  d.keywords("average mean pooling downsample picture image AdaptiveAveragePool");
  d.vector("output_size", {1}).docs("One number, or H and W.");
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(windows::picture_size(a, "x"));
  HW_TRY(const Pair size, windows::pair_of(a.params(), "output_size", 1));
  return Shapes{shapes::tensor(a.dtype("x"), windows::resized(a.shape("x"), a.shape("x")[1].size, size))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const auto size = windows::pair_of(a.params(), "output_size", 1);
  if (!size) return b.fail(size.error()), Lowered{Val{}};
  PoolAttr attr;
  attr.adaptive = true;
  attr.size = *size;
  return {b.emit(Op::avg_pool, {a.in("x")}, attr)[0]};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "uneven",
       .inputs = {{"x", DType::f32, {2, 3, 7, 5}, axes}},
       .params = {{"output_size", List{3, 2}}},
       .tolerance_factor = 3},
      {.name = "larger",
       .inputs = {{"x", DType::f32, {1, 2, 3, 4}, axes}},
       .params = {{"output_size", List{5}}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::adaptive_avg_pool

HW_NODE(adaptive_avg_pool)
