// Cumsum: running sums along an axis, by sums of ever longer distance (Hillis and Steele).
#include "engine/node/shapes.h"

namespace hw::nodes::cumsum {

static void declare(NodeDecl& d) {
  d.title("Cumsum").category("Math").summary("Running sums along an axis.");
  d.doc(
      "`y[i] = x[0] + .. + x[i]` along `axis`. `exclusive`: without x[i] itself, so that the first is 0. `reverse`: "
      "from "
      "the end. Any shape; `y` has the shape and dtype of `x`. Summed in f32 (f64 for f64) and rounded once, as a tree "
      "of ⌈log2 size⌉ steps: the same bits everywhere.");
  d.source("NumPy, `numpy.cumsum`; ONNX, CumSum; Hillis and Steele 1986 (the order of summation)");
  d.keywords("cumulative sum prefix scan running total integrate integral CumSum");
  d.autocast(Autocast::f32);
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.boolean("exclusive", false).docs("Without the element itself.");
  d.boolean("reverse", false).docs("Sums of what follows.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  if (!a.shape("x")[axis].known())
    return Error{codes::size_mismatch, "x", "the summed axis needs a known size, got " + to_string(a.shape("x")) + ".",
                 "Give the source a fixed size."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = b[x].dtype;
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const int64_t size = b[x].dims[static_cast<size_t>(axis)];
  const bool reverse = a.params().boolean("reverse");
  const auto shifted = [&](Val v, int64_t by) {
    return reverse ? b.pad(b.slice(v, axis, by, size), axis, 0, by)
                   : b.pad(b.slice(v, axis, 0, size - by), axis, by, 0);
  };
  Val y = b.cast(x, dtype == DType::f64 ? dtype : DType::f32);
  if (a.params().boolean("exclusive") && size > 0) y = shifted(y, 1);
  for (int64_t by = 1; by < size; by *= 2) y = b.add(y, shifted(y, by));
  return {b.status() ? b.cast(y, dtype) : y};
}

static Examples examples() {
  const auto with = [](std::string name, Dims dims, ParamMap params) {
    return Example{.name = std::move(name),
                   .inputs = {{"x", DType::f32, std::move(dims), {}}},
                   .params = std::move(params),
                   .tolerance_factor = 3};
  };
  return {with("last", {3, 11}, {}), with("first", {6, 4}, {{"axis", int64_t{0}}}),
          with("exclusive", {2, 5, 3}, {{"axis", int64_t{1}}, {"exclusive", true}}),
          with("reverse", {9}, {{"reverse", true}}), with("both", {4, 8}, {{"exclusive", true}, {"reverse", true}})};
}

}  // namespace hw::nodes::cumsum

HW_NODE(cumsum)
