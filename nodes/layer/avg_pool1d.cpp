// Avg Pool 1d: the mean of each window of a line.
#include "engine/node/sliding.h"

namespace hw::nodes::avg_pool1d {

static void declare(NodeDecl& d) {
  d.title("Avg Pool 1d").category("Layer").summary("The mean of each window of a line.");
  d.doc(
      "[N, C, T] to [N, C, T'] with `T' = ⌊(T + padding - kernel) / stride⌋ + 1`. Padding is zeros, at most half of "
      "the "
      "window. With `count_include_pad` a window is divided by all its elements, padding among them (PyTorch's "
      "default); "
      "without, by those inside the line (ONNX's default). Sums are f32 (f64 for f64).");
  d.source("PyTorch, `torch.nn.AvgPool1d`; ONNX, AveragePool");
  d.keywords("pooling downsample subsample sound audio signal time average mean avgpool AveragePool AveragePooling1D");
  sliding::declare_pool(d, 1);
  d.boolean("count_include_pad", true).labelled("Count padding").docs("Divide by the padding too.");
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
  attr.count_padding = a.params().boolean("count_include_pad");
  return {sliding::as_line(b, b.emit(Op::avg_pool, {sliding::as_picture(b, x)}, attr)[0], axes)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "T"};
  using List = std::vector<double>;
  return {
      {.name = "halves", .inputs = {{"x", DType::f32, {2, 3, 8}, axes}}, .tolerance_factor = 2},
      {.name = "overlapping",
       .inputs = {{"x", DType::f32, {1, 2, 7}, axes}},
       .params = {{"kernel_size", List{3}},
                  {"stride", List{2}},
                  {"padding", std::string("1 0")},
                  {"count_include_pad", false}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::avg_pool1d

HW_NODE(avg_pool1d)
