// Pad: a border of one number around chosen axes.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::pad {

struct Border {
  int axis;
  int64_t before, after;
};

// One border an axis; a single width serves all axes.
static Result<std::vector<Border>> borders_of(const Params& p, size_t rank) {
  HW_TRY(const auto axes, shapes::whole_numbers(p, "axes"));
  HW_TRY(const auto before, shapes::whole_numbers(p, "before"));
  HW_TRY(const auto after, shapes::whole_numbers(p, "after"));
  std::vector<bool> taken(rank, false);
  std::vector<Border> borders;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto count = static_cast<int64_t>(rank);
    const bool there = axes[i] >= -count && axes[i] < count;
    const int axis = there ? shapes::wrap_axis(axes[i], rank) : 0;
    if (!there || taken[static_cast<size_t>(axis)])
      return Error{codes::bad_parameter, "axes",
                   "must name axes of a tensor with " + std::to_string(rank) + ", each once, got " +
                       to_string(ParamValue(p.vector("axes"))) + ".",
                   "-1 is the last axis."};
    taken[static_cast<size_t>(axis)] = true;
    for (const auto& [id, widths] : {std::pair{"before", &before}, std::pair{"after", &after}})
      if (widths->size() != axes.size() && widths->size() != 1)
        return Error{codes::bad_parameter, id,
                     "needs one width, or one for each of the " + std::to_string(axes.size()) + " axes, got " +
                         to_string(ParamValue(p.vector(id))) + ".",
                     ""};
    borders.push_back({axis, before[before.size() == 1 ? 0 : i], after[after.size() == 1 ? 0 : i]});
  }
  return borders;
}

static void declare(NodeDecl& d) {
  d.title("Pad").category("Shape").summary("Puts a border of one number around chosen axes.");
  d.doc(
      "Along each of `axes`, `before` elements of `value` stand in front of those of `x` and `after` elements behind "
      "them. `before` and `after` have one width for all axes or one for each. Axes [-2, -1] with widths 1 and 1 make "
      "[N, C, H, W] into [N, C, H + 2, W + 2]. `value` is rounded once to the dtype; the border gets no gradient.");
  d.source("NumPy, `numpy.pad` with mode `constant`");
  d.keywords("border margin constant zero frame extend enlarge");
  d.vector("axes", {-1}).docs("Axes that grow, from the end when negative.").range(-8, 7);
  d.vector("before", {1}).docs("Elements in front: one number, or one an axis.").range(0, 65536);
  d.vector("after", {1}).docs("Elements behind: one number, or one an axis.").range(0, 65536);
  d.real("value", 0).docs("What the border holds.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  Shape shape = a.shape("x");
  HW_TRY(const auto borders, borders_of(a.params(), shape.rank()));
  for (const auto& [at, before, after] : borders) {
    Axis& axis = shape[static_cast<size_t>(at)];
    if (!axis.known())
      return Error{codes::size_mismatch, "x", "a padded axis needs a known size, got " + to_string(a.shape("x")) + ".",
                   ""};
    axis.size = size_sum({axis.size, before, after});
  }
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const auto borders = borders_of(a.params(), b[x].dims.size());
  if (!borders) {
    b.fail(borders.error());
    return {Val{}};
  }
  for (const auto& [axis, before, after] : *borders)
    if (before > 0 || after > 0) x = b.pad(x, axis, before, after, a.params().real("value"));
  return {x};
}

static Examples examples() {
  return {
      {.name = "last", .inputs = {{"x", DType::f32, {5, 3}, {"N", "C"}}}},
      {.name = "picture",
       .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}}},
       .params = {{"axes", std::vector<double>{-2, -1}},
                  {"before", std::vector<double>{1, 2}},
                  {"after", std::vector<double>{1}},
                  {"value", 0.3}}},
      {.name = "one_side",
       .inputs = {{"x", DType::f32, {6, 2}, {}}},
       .params = {{"axes", std::vector<double>{0}}, {"before", std::vector<double>{0}}, {"value", -7.0}}},
  };
}

}  // namespace hw::nodes::pad

HW_NODE(pad)
