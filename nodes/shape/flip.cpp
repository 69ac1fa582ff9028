// Flip: axes from their end to their begin.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::flip {

static void declare(NodeDecl& d) {
  d.title("Flip").category("Shape").summary("Turns axes round, from their end to their begin.");
  d.doc(
      "`y[.., i, ..] = x[.., size - 1 - i, ..]` along each of `axes`; without axes along all. Any shape and dtype (of "
      "whole numbers exact below 2^53). A picture [N, C, H, W] is mirrored left to right along axis -1.");
  d.source("NumPy, `numpy.flip`; PyTorch, `torch.flip`");
  d.keywords("reverse mirror fliplr flipud backwards invert order augmentation ReverseSequence");
  d.vector("axes", {-1}).docs("Axes to turn round, from the end when negative; empty: all.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::axes_of(a, "x"));
  if (!a.shape("x").fully_known())
    return Error{codes::size_mismatch, "x", "all sizes must be known, got " + to_string(a.shape("x")) + ".",
                 "Give the source a fixed size."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const std::vector<std::string> names = b[x].axes;
  std::vector<int> axes = shapes::wrap_axes(a.params().vector("axes"), b[x].dims.size());
  if (axes.empty())
    for (size_t d = 0; d < b[x].dims.size(); ++d) axes.push_back(static_cast<int>(d));
  for (const int axis : axes) {
    std::vector<double> index;
    for (int64_t i = b[x].dims[static_cast<size_t>(axis)]; i-- > 0;) index.push_back(static_cast<double>(i));
    const auto count = static_cast<int64_t>(index.size());
    x = index_ops::taken(b, x, b.constant(Tensor::from_f64(DType::i64, {count}, index)), axis);
    if (!b.status()) return {Val{}};
  }
  if (!axes.empty()) b.set_axes(x, names);
  return {x};
}

static Examples examples() {
  return {
      {.name = "left_to_right", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}}}},
      {.name = "two", .inputs = {{"x", DType::f32, {4, 3, 5}, {}}}, .params = {{"axes", std::vector<double>{0, 1}}}},
      {.name = "all", .inputs = {{"x", DType::f32, {4, 3}, {}}}, .params = {{"axes", std::vector<double>{}}}},
  };
}

}  // namespace hw::nodes::flip

HW_NODE(flip)
