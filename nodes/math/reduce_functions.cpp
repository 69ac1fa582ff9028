// Sum, Mean, Max and Min over axes: one node each, one declaration for all.
#include <array>

#include "engine/node/row_nodes.h"

namespace hw::nodes::reduce_functions {

enum class Reduction : uint8_t { sum, mean, max, min };

struct Row {
  Reduction kind;
  const char *id, *title, *summary, *doc, *source, *keywords;
  Autocast autocast = Autocast::follow;
};

static constexpr std::array kRows{
    Row{.kind = Reduction::sum,
        .id = "sum",
        .title = "Sum",
        .summary = "The sum over all elements, or along axes.",
        .doc = "`y = Σ x`. Summed in f32 or wider in fixed-size chunks, so the result does not depend on the number of "
               "threads; rounded once to the dtype of `x`.",
        .source = "NumPy, `numpy.sum`",
        .keywords = "total add reduce ReduceSum",
        .autocast = Autocast::f32},
    Row{.kind = Reduction::mean,
        .id = "mean",
        .title = "Mean",
        .summary = "The mean of all elements, or along axes.",
        .doc = "`y = Σ x / count`. Summed in f32 or wider in fixed-size chunks, so the result does not depend on the "
               "number of threads; rounded once to the dtype of `x`.",
        .source = "NumPy, `numpy.mean`",
        .keywords = "average reduce loss ReduceMean"},
    Row{.kind = Reduction::max,
        .id = "reduce_max",
        .title = "Max over Axes",
        .summary = "The largest of all elements, or along axes.",
        .doc = "`y = max x`. NaN wins. Elements that share the largest value share its gradient evenly.",
        .source = "NumPy, `numpy.amax`; gradient as in PyTorch, `torch.amax`",
        .keywords = "maximum largest reduce amax pool ReduceMax"},
    Row{.kind = Reduction::min,
        .id = "reduce_min",
        .title = "Min over Axes",
        .summary = "The smallest of all elements, or along axes.",
        .doc = "`y = min x`. NaN wins. Elements that share the smallest value share its gradient evenly.",
        .source = "NumPy, `numpy.amin`; gradient as in PyTorch, `torch.amin`",
        .keywords = "minimum smallest reduce amin ReduceMin"},
};

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const std::vector<int> axes, shapes::axes_of(a, "x"));
  const Shape& x = a.shape("x");
  std::vector<bool> gone(x.rank(), axes.empty());
  for (const int axis : axes) gone[static_cast<size_t>(axis)] = true;
  Shape out;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (!gone[i]) out.push_back(x[i]);
    if (gone[i] && a.params().boolean("keep")) out.push_back({x[i].name, 1, ""});
  }
  return Shapes{shapes::tensor(a.dtype("x"), out)};
}

template <size_t I>
struct Node {
  static constexpr const Row& row = kRows[I];

  static void declare(NodeDecl& d) {
    declare_row(
        d, row,
        "Any shape; without axes the result is a scalar `[]`, else `x` without these axes. With keep they stay, "
        "with size 1, so that the result broadcasts against `x`.");
    d.autocast(row.autocast);
    d.vector("axes", {}).docs("Axes to reduce, from 0, or from the end when negative; empty: all.").range(-8, 7);
    d.boolean("keep", false).docs("Leave the reduced axes in the shape, with size 1.");
    d.input("x").dtype_group("T", running_floats());
    d.output("y").dtype_group("T");
  }

  static Lowered lower(OpBuilder& b, const LowerArgs& a) {
    if (!b.status()) return {Val{}};
    const Val x = a.in("x");
    const std::vector<int> axes = shapes::wrap_axes(a.params().vector("axes"), b[x].dims.size());
    const bool keep = a.params().boolean("keep");
    if (row.kind == Reduction::sum) return {b.sum(x, axes, keep)};
    if (row.kind == Reduction::mean) return {axes.empty() && !keep ? b.mean(x) : b.mean(x, axes, keep)};
    return {b.reduce(row.kind == Reduction::max ? ReduceFn::max : ReduceFn::min, x, axes, keep)};
  }

  static Examples examples() {
    using Axes = std::vector<double>;
    return {
        {.name = "all", .inputs = {{"x", DType::f32, {31, 5}, {"N", "C"}}}},
        {.name = "channels", .inputs = {{"x", DType::f32, {31, 5}, {"N", "C"}}}, .params = {{"axes", Axes{-1}}}},
        {.name = "batch",
         .inputs = {{"x", DType::f32, {31, 5}, {"N", "C"}}},
         .params = {{"axes", Axes{0}}, {"keep", true}},
         .tolerance_factor = 6},
        {.name = "image",
         .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}}},
         .params = {{"axes", Axes{2, -1}}}},
        {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}}}},
    };
  }
};

static const bool registered = register_rows<Node, kRows.size()>(shape);

}  // namespace hw::nodes::reduce_functions
