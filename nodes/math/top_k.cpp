// Top K: the largest elements along an axis, one after the other.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::top_k {

static void declare(NodeDecl& d) {
  d.title("Top K").category("Math").summary("The k largest elements along an axis, sorted, and where they are.");
  d.doc(
      "Along `axis`, `values` has the k largest elements of `x`, the largest first, and `indices` their places, i64; "
      "of "
      "equals the first comes first, and NaN counts as larger than Inf. `smallest` asks for the smallest. The gradient "
      "of a value goes to its element. "
      "They "
      "are looked for one after the other, so that the time grows with k.");
  d.source("PyTorch, `torch.topk`; ONNX, TopK");
  d.keywords("topk largest smallest best sort ranking beam sampling kth TopK");
  d.integer("k", 5).docs("How many; at most the size of the axis.").range(1, 256);
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.boolean("smallest", false).docs("The smallest instead, the smallest first.");
  d.input("x").dtype_group("T", running_floats());
  d.output("values").dtype_group("T");
  d.output("indices").dtypes({DType::i64});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  Shape y = a.shape("x");
  const int64_t k = a.params().integer("k");
  if (!y[axis].known())
    return Error{codes::size_mismatch, "x", "the axis needs a known size, got " + to_string(y) + ".",
                 "Give the source a fixed size."};
  if (k > y[axis].size)
    return Error{codes::bad_parameter, "k",
                 "must be at most the size of axis " + std::to_string(axis) + " of " + to_string(y) + ", got " +
                     std::to_string(k) + ".",
                 "Set k to " + std::to_string(y[axis].size) + "."};
  y[axis].size = k;
  return Shapes{shapes::tensor(a.dtype("x"), y), shapes::tensor(DType::i64, y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}, Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const auto top = index_ops::top_k(b, x, axis, a.params().integer("k"), a.params().boolean("smallest"));
  return {top.values, top.places};
}

static Examples examples() {
  return {
      {.name = "classes", .inputs = {{"x", DType::f32, {7, 9}, {"N", "C"}}}, .params = {{"k", int64_t{3}}}},
      {.name = "smallest",
       .inputs = {{"x", DType::f32, {2, 5, 3}, {}}},
       .params = {{"k", int64_t{2}}, {"axis", int64_t{1}}, {"smallest", true}}},
      {.name = "all", .inputs = {{"x", DType::f32, {5}, {}}}},
      {.name = "one", .inputs = {{"x", DType::f32, {4, 2}, {}}}, .params = {{"k", int64_t{1}}, {"axis", int64_t{0}}}},
  };
}

}  // namespace hw::nodes::top_k

HW_NODE(top_k)
