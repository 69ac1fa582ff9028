// Gather Elements: elements along an axis, others in each row.
#include "engine/node/indices.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::gather_elements {

static void declare(NodeDecl& d) {
  d.title("Gather Elements")
      .category("Shape")
      .summary("Takes elements along an axis, by numbers that differ from row to row.");
  d.doc(
      "`y[i, j, k] = x[i, index[i, j, k], k]` for axis 1, and so on. `index` has the rank of `x` and its sizes, but "
      "along "
      "`axis` any; `y` has the sizes of `index`. Negative numbers count from the end. An index outside gives NaN (0 of "
      "whole numbers), and no gradient. The gradient of an element is the sum over all that took it, in f32 (f64). "
      "With "
      "the indices of Top K it puts another tensor into the same order.");
  d.source("NumPy, `numpy.take_along_axis`; PyTorch, `torch.gather`; ONNX, GatherElements");
  d.keywords("take along axis index pick select sort order indices take_along_axis GatherElements");
  d.integer("axis", -1).docs("From 0, or from the end when negative.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.input("index").dtypes(shapes::index_dtypes()).docs("From -size to size - 1 of the axis.");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  const Shape &x = a.shape("x"), &index = a.shape("index");
  const std::string both = "x is " + to_string(x) + ", the index is " + to_string(index) + ".";
  if (x.rank() != index.rank())
    return Error{codes::rank_mismatch, "index", "must have as many axes as x: " + both,
                 "Unsqueeze puts in axes of size 1."};
  if (!x.fully_known() || !index.fully_known())
    return Error{codes::size_mismatch, "x", "all sizes must be known: " + both, "Give the source a fixed size."};
  for (size_t d = 0; d < x.rank(); ++d)
    if (d != axis && x[d].size != index[d].size)
      return Error{codes::size_mismatch, "index",
                   "axis " + std::to_string(d) + " must have the size it has in x: " + both, ""};
  Shape y = x;
  y[axis].size = index[axis].size;
  return Shapes{shapes::tensor(a.dtype("x"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const Val index = index_ops::from_the_end(b, a.in("index"), b[x].dims[static_cast<size_t>(axis)]);
  const Val y = index_ops::taken_along(b, x, index, axis);
  if (b.status()) b.set_axes(y, b[x].axes);
  return {y};
}

static Examples examples() {
  return {
      {.name = "last", .inputs = {{"x", DType::f32, {5, 4}, {"N", "C"}}, {"index", DType::i64, {5, 2}, {}, -4, 4}}},
      {.name = "middle",
       .inputs = {{"x", DType::f32, {2, 3, 4}, {}}, {"index", DType::i32, {2, 5, 4}, {}, 0, 3}},
       .params = {{"axis", int64_t{1}}}},
      {.name = "first",
       .inputs = {{"x", DType::f32, {4, 3}, {}}, {"index", DType::u8, {1, 3}, {}, 0, 4}},
       .params = {{"axis", int64_t{0}}}},
  };
}

}  // namespace hw::nodes::gather_elements

HW_NODE(gather_elements)
