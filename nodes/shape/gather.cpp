// Gather: rows along an axis, by their numbers.
#include "engine/node/indices.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::gather {

static void declare(NodeDecl& d) {
  d.title("Gather").category("Shape").summary("Takes rows along an axis, by their numbers, in any order and often.");
  d.doc(
      "`y[.., i.., ..] = x[.., index[i..], ..]` along `axis`: the axes of `index` stand in the place of that axis. x "
      "[N, C] and an index [3] along axis 1 give [N, 3]; an index without axes takes the axis away. Negative numbers "
      "count from the end. An index outside gives NaN (0 of whole numbers), and no gradient. The gradient of a row is "
      "the sum over all that took it, in f32 (f64), in their order. Embedding has a table of its own; Gather Elements "
      "takes another element in each row.");
  d.source("NumPy, `numpy.take`; PyTorch, `torch.index_select`; ONNX, Gather");
  d.keywords("take index select lookup pick rows indices reorder embedding index_select Gather");
  d.integer("axis", 0).docs("Axis of x, from 0, or from the end when negative.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.input("index").dtypes(shapes::index_dtypes()).docs("From -size to size - 1 of the axis.");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  const Shape &x = a.shape("x"), &index = a.shape("index");
  if (!x.fully_known() || !index.fully_known())
    return Error{codes::size_mismatch, "x",
                 "all sizes must be known: x is " + to_string(x) + ", the index is " + to_string(index) + ".",
                 "Give the source a fixed size."};
  Shape y;
  for (size_t d = 0; d < axis; ++d) y.push_back(x[d]);
  for (const Axis& each : index.axes()) y.push_back(each);
  for (size_t d = axis + 1; d < x.rank(); ++d) y.push_back(x[d]);
  return Shapes{shapes::tensor(a.dtype("x"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  index_ops::refuse_beyond(b, a.in("index"), b[x].dims[static_cast<size_t>(axis)], "index", "entries");
  const Val index = index_ops::from_the_end(b, a.in("index"), b[x].dims[static_cast<size_t>(axis)]);
  const Val y = index_ops::taken(b, x, index, axis);
  b.set_axes(y, {});
  return {y};
}

static Examples examples() {
  return {
      {.name = "rows", .inputs = {{"x", DType::f32, {5, 3}, {"N", "C"}}, {"index", DType::i64, {2, 4}, {}, -5, 5}}},
      {.name = "channels",
       .inputs = {{"x", DType::f32, {2, 4, 3}, {"N", "C", "T"}}, {"index", DType::i32, {6}, {}, 0, 4}},
       .params = {{"axis", int64_t{1}}}},
      {.name = "whole_numbers",
       .inputs = {{"x", DType::i64, {2, 6}, {}, -9, 9}, {"index", DType::i8, {4}, {}, -6, 6}},
       .params = {{"axis", int64_t{1}}},
       .no_gradient_because = "whole numbers have no gradient"},
      {.name = "one",
       .inputs = {{"x", DType::f32, {4, 3}, {}}, {"index", DType::u8, {}, {}, 0, 3}},
       .params = {{"axis", int64_t{-1}}}},
  };
}

}  // namespace hw::nodes::gather

HW_NODE(gather)
