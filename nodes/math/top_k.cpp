// Top K: the largest elements along an axis, one after the other.
#include <limits>

#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::top_k {

static void declare(NodeDecl& d) {
  d.title("Top K").category("Math").summary("The k largest elements along an axis, sorted, and where they are.");
  d.doc(
      "Along `axis`, `values` has the k largest elements of `x`, the largest first, and `indices` their places, i64; "
      "of "
      "equals the first comes first. `smallest` asks for the smallest. The gradient of a value goes to its element. "
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
  const auto rank = static_cast<int>(b[x].dims.size());
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const int64_t size = b[x].dims[static_cast<size_t>(axis)], k = a.params().integer("k");
  const std::vector<std::string> names = b[x].axes;
  Dims kept = b[x].dims;
  kept[static_cast<size_t>(axis)] = 1;
  const DType wide = b[x].dtype == DType::f64 ? DType::f64 : DType::f32;
  const double bound = info(wide).max;
  // What is left to choose from: what was taken is below everything.
  Val left = b.stop_gradient(b.cast(x, wide));
  left = b.clamp(a.params().boolean("smallest") ? b.unary(UnaryFn::neg, left) : left, -bound, bound);
  const Val places = index_ops::counted(b, DType::i64, size, rank, axis);
  const Val lowest = b.constant(Tensor::from_f64(wide, {}, {{-std::numeric_limits<double>::infinity()}}));
  std::vector<Val> values, indices;
  for (int64_t i = 0; i < k && b.status(); ++i) {
    const Val index = b.argmax(left, axis), at = b.reshape(index, kept);
    values.push_back(b.reshape(b.gather_elements(x, index, axis), kept));
    indices.push_back(at);
    if (i + 1 < k) left = b.where(b.compare(CompareFn::equal, places, at), lowest, left);
  }
  if (!b.status()) return {Val{}, Val{}};
  const Val y = k == 1 ? values[0] : b.concat(values, axis), where = k == 1 ? indices[0] : b.concat(indices, axis);
  b.set_axes(y, names);
  b.set_axes(where, names);
  return {y, where};
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
