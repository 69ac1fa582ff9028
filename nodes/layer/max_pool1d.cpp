// Max Pool 1d: the largest element of each window of a line.
#include "engine/node/sliding.h"

namespace hw::nodes::max_pool1d {

static void declare(NodeDecl& d) {
  d.title("Max Pool 1d").category("Layer").summary("The largest element of each window of a line.");
  d.doc(
      "[N, C, T] to [N, C, T'] with `T' = ⌊(T + padding - kernel) / stride⌋ + 1`. Padding counts as minus infinity, "
      "and is at "
      "most half of the window. A NaN in a window is its maximum. The gradient goes to the first maximum.");
  d.source("PyTorch, `torch.nn.MaxPool1d`; ONNX, MaxPool");
  d.keywords("pooling downsample subsample sound audio signal time maxpool MaxPool MaxPooling1D");
  sliding::declare_pool(d, 1);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return sliding::pooled(a, 1);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const std::vector<std::string> axes = b[x].axes;
  const auto w = sliding::pool(a.params(), sliding::sizes_behind(b[x].dims));
  if (!w) return b.fail(w.error()), Lowered{Val{}};
  PoolAttr attr{{1, w->kernel[0]}, {1, w->stride[0]}, {0, w->begin[0]}, {0, w->end[0]}};
  return {sliding::as_line(b, b.emit(Op::max_pool, {sliding::as_picture(b, x)}, attr)[0], axes)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "T"};
  using List = std::vector<double>;
  return {
      {.name = "halves", .inputs = {{"x", DType::f32, {2, 3, 8}, axes}}},
      {.name = "overlapping",
       .inputs = {{"x", DType::f32, {1, 2, 7}, axes}},
       .params = {{"kernel_size", List{3}}, {"stride", List{2}}, {"padding", std::string("1 0")}}},
  };
}

}  // namespace hw::nodes::max_pool1d

HW_NODE(max_pool1d)
