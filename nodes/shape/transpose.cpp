// Transpose: the axes in another order.
#include <numeric>

#include "engine/node/shapes.h"

namespace hw::nodes::transpose {

// Which axis of the input each axis of the output is.
static Result<std::vector<int>> order_of(const Params& p, size_t rank) {
  HW_TRY(const auto axes, shapes::whole_numbers(p, "axes"));
  std::vector<int> order(rank);
  if (axes.empty()) {
    std::iota(order.rbegin(), order.rend(), 0);
    return order;
  }
  const auto count = static_cast<int64_t>(rank);
  std::vector<bool> taken(rank, false);
  bool permutes = axes.size() == rank;
  for (size_t d = 0; permutes && d < rank; ++d) {
    permutes = axes[d] >= -count && axes[d] < count;
    if (!permutes) break;
    order[d] = shapes::wrap_axis(axes[d], rank);
    permutes = !taken[static_cast<size_t>(order[d])];
    taken[static_cast<size_t>(order[d])] = true;
  }
  if (permutes) return order;
  return Error{codes::bad_parameter, "axes",
               "must name each of the " + std::to_string(rank) + " axes once, got " +
                   to_string(ParamValue(p.vector("axes"))) + ".",
               "Leave it empty to reverse the axes."};
}

static void declare(NodeDecl& d) {
  d.title("Transpose").category("Shape").summary("Puts the axes in another order.");
  d.doc(
      "Axis i of `y` is axis `axes[i]` of `x`, with its name: `[0, 3, 1, 2]` makes [N, H, W, C] into [N, C, H, W]. "
      "Empty: the axes in reverse, so that a matrix becomes its transpose. Elements are copied as they are; the "
      "gradient goes back by the inverse order.");
  d.source("NumPy, `numpy.transpose`");
  d.keywords("permute swap axes swapaxes movedim channels last NHWC NCHW");
  d.vector("axes", {}).docs("Old axis of each new one, from the end when negative; empty: reversed.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& from = a.shape("x");
  HW_TRY(const auto order, order_of(a.params(), from.rank()));
  Shape shape;
  for (const int axis : order) shape.push_back(from[static_cast<size_t>(axis)]);
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val x = a.in("x");
  auto order = order_of(a.params(), b[x].dims.size());
  if (order) return {b.transpose(x, std::move(*order))};
  b.fail(order.error());
  return {Val{}};
}

static Examples examples() {
  return {
      {.name = "matrix", .inputs = {{"x", DType::f32, {19, 35}, {"N", "C"}}}},
      {.name = "to_channels_first",
       .inputs = {{"x", DType::f32, {2, 5, 7, 3}, {"N", "H", "W", "C"}}},
       .params = {{"axes", std::vector<double>{0, 3, 1, 2}}}},
      {.name = "rotated",
       .inputs = {{"x", DType::f32, {4, 3, 6}, {}}},
       .params = {{"axes", std::vector<double>{-1, 0, 1}}}},
      {.name = "whole_numbers",
       .inputs = {{"x", DType::i32, {4, 5}, {}, -9, 9}},
       .no_gradient_because = "whole numbers have no gradient"},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::transpose

HW_NODE(transpose)
