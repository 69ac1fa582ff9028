// Nodes that reduce axes: the fields of a row of their tables, and the node it makes.
#pragma once

#include <algorithm>
#include <array>

#include "engine/node/row_nodes.h"
#include "engine/program/sample_states.h"

namespace hw {

struct ReduceRow {
  /// `axes`: distinct, from 0; empty: all. `keep`: they stay, with size 1.
  Val (*lowered)(OpBuilder&, Val x, const std::vector<int>& axes, bool keep);
  const char *id, *title, *summary, *doc, *source, *keywords;
  double lo = -1;  // range of the examples
  Autocast autocast = Autocast::follow;
};

/// Whether `axes` (distinct, from 0; empty: all) are all that x has, or that of its samples is among them, by its name
/// N or by the ops it came through: what is left is of no sample alone. One number that is left of a single sample's is
/// not.
inline bool reduces_samples(const OpBuilder& b, Val x, const std::vector<int>& axes) {
  if (!b.status()) return false;
  const size_t rank = b[x].dims.size();
  if (rank > 0 && (axes.empty() || axes.size() == rank)) return true;
  return std::ranges::any_of(axes, [&](int axis) {
    const auto d = static_cast<size_t>(axis);
    if (d < b[x].axes.size() && b[x].axes[d] == "N") return true;
    if (b.share() == 1) return false;
    const auto& samples = b.samples_of(x).at;
    return samples && samples->axis == axis;
  });
}

/// `sum` of x over `axes`: over its samples it is of all those of a step, of other micro-batches and ranks too.
inline Val over_batch(OpBuilder& b, Val x, const std::vector<int>& axes, Val sum) {
  return reduces_samples(b, x, axes) ? b.batch_sum(sum) : sum;
}

inline Result<Shapes> reduced_shape(const ShapeArgs& a) {
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

/// The nodes of a table of rows: ReduceNodes<kRows>::register_all() adds them to the registry.
template <const auto& rows>
struct ReduceNodes {
  template <size_t I>
  struct Node {
    static constexpr const ReduceRow& row = rows[I];

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
      return {row.lowered(b, x, axes, a.params().boolean("keep"))};
    }

    static Examples examples() {
      using Axes = std::vector<double>;
      Examples all{
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
      for (Example& example : all)
        if (row.lo > -1) {
          example.inputs[0].lo = row.lo;
          example.inputs[0].hi = row.lo + 1;
        }
      return all;
    }
  };

  static bool register_all() { return register_rows<Node, rows.size()>(reduced_shape); }
};

}  // namespace hw
