// Pad: a border around chosen axes, of one number or of elements of the tensor.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::pad {

struct Border {
  int axis;
  int64_t before, after, multiple;
  /// Behind an axis of this size.
  int64_t behind(int64_t size) const {
    const int64_t rest = size_sum({size, before, after}) % multiple;
    return rest == 0 ? after : size_sum({after, multiple - rest});
  }
};

// One border an axis; a single width serves all axes.
static Result<std::vector<Border>> borders_of(const Params& p, size_t rank) {
  HW_TRY(const auto axes, shapes::whole_numbers(p, "axes"));
  HW_TRY(const auto before, shapes::whole_numbers(p, "before"));
  HW_TRY(const auto after, shapes::whole_numbers(p, "after"));
  HW_TRY(const auto multiples, shapes::whole_numbers(p, "multiples"));
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
    for (const auto& [id, widths] :
         {std::pair{"before", &before}, std::pair{"after", &after}, std::pair{"multiples", &multiples}})
      if (widths->size() != axes.size() && widths->size() != 1)
        return Error{codes::bad_parameter, id,
                     "needs one width, or one for each of the " + std::to_string(axes.size()) + " axes, got " +
                         to_string(ParamValue(p.vector(id))) + ".",
                     ""};
    const auto of = [&](const auto& widths) { return widths[widths.size() == 1 ? 0 : i]; };
    borders.push_back({axis, of(before), of(after), of(multiples)});
  }
  return borders;
}

static void declare(NodeDecl& d) {
  d.title("Pad").category("Shape").summary("Puts a border around chosen axes.");
  d.doc(
      "Along each of `axes`, `before` elements of `value` stand in front of those of `x` and `after` elements behind "
      "them. `before` and `after` have one width for all axes or one for each. Axes [-2, -1] with widths 1 and 1 make "
      "[N, C, H, W] into [N, C, H + 2, W + 2]. What stands behind is widened until the size is a multiple of "
      "`multiples`, as attention in windows needs. `value` is rounded once to the dtype; the border gets no gradient. "
      "With another `mode` the border holds elements of `x`: its ends (`edge`), those that a mirror on the last "
      "element "
      "shows (`reflect`), or those from the other end on (`wrap`); their gradients are added up.");
  d.source("NumPy, `numpy.pad`; ONNX, Pad");
  d.keywords("border margin constant zero frame extend enlarge reflect mirror edge replicate wrap circular multiple");
  d.vector("axes", {-1}).docs("Axes that grow, from the end when negative.").range(-8, 7);
  d.vector("before", {1}).docs("Elements in front: one number, or one an axis.").range(0, 65536);
  d.vector("after", {1}).docs("Elements behind: one number, or one an axis.").range(0, 65536);
  d.vector("multiples", {1}).docs("Numbers that sizes are then widened to a multiple of; 1: none.").range(1, 65536);
  d.choice("mode", "constant", {"constant", "edge", "reflect", "wrap"}).docs("What the border holds.");
  d.real("value", 0).docs("constant: what the border holds.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  Shape shape = a.shape("x");
  HW_TRY(const auto borders, borders_of(a.params(), shape.rank()));
  for (const Border& border : borders) {
    Axis& axis = shape[static_cast<size_t>(border.axis)];
    if (!axis.known())
      return Error{codes::size_mismatch, "x", "a padded axis needs a known size, got " + to_string(a.shape("x")) + ".",
                   ""};
    axis.size = size_sum({axis.size, border.before, border.behind(axis.size)});
  }
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

// The element of an axis of `size` that stands at place `at`, which may lie before or behind it.
static int64_t element_at(int64_t at, int64_t size, const std::string& mode) {
  const auto within = [&](int64_t period) { return ((at % period) + period) % period; };
  if (mode == "edge" || size == 1) return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == "wrap") return within(size);
  const int64_t turn = within(2 * (size - 1));
  return std::min(turn, 2 * (size - 1) - turn);
}

static Val with_elements(OpBuilder& b, Val x, const Border& border, const std::string& mode) {
  if (!b.status()) return {};
  const int64_t size = b[x].dims[static_cast<size_t>(border.axis)];
  const std::vector<std::string> axes = b[x].axes;
  Tensor places(DType::i64, {size_sum({size, border.before, border.behind(size)})});
  for (int64_t i = 0; i < places.size(); ++i) places.as<int64_t>()[i] = element_at(i - border.before, size, mode);
  const Val y = index_ops::taken(b, x, b.constant(std::move(places)), border.axis);
  b.set_axes(y, axes);
  return y;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const auto borders = borders_of(a.params(), b[x].dims.size());
  if (!borders) {
    b.fail(borders.error());
    return {Val{}};
  }
  const std::string& mode = a.params().text("mode");
  for (const Border& border : *borders) {
    if (!b.status()) return {Val{}};
    const int64_t behind = border.behind(b[x].dims[static_cast<size_t>(border.axis)]);
    if (border.before == 0 && behind == 0) continue;
    x = mode == "constant" ? b.pad(x, border.axis, border.before, behind, a.params().real("value"))
                           : with_elements(b, x, border, mode);
  }
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
      {.name = "to_multiples",
       .inputs = {{"x", DType::f32, {1, 6, 5, 2}, {}}},
       .params = {{"axes", std::vector<double>{1, 2}},
                  {"before", std::vector<double>{0}},
                  {"after", std::vector<double>{0}},
                  {"multiples", std::vector<double>{3, 4}}}},
      {.name = "edge",
       .inputs = {{"x", DType::f32, {2, 3}, {}}},
       .params = {{"before", std::vector<double>{2}}, {"mode", std::string("edge")}}},
      {.name = "reflect",
       .inputs = {{"x", DType::f32, {1, 2, 4, 3}, {"N", "C", "H", "W"}}},
       .params = {{"axes", std::vector<double>{-2, -1}},
                  {"before", std::vector<double>{2}},
                  {"after", std::vector<double>{3, 1}},
                  {"mode", std::string("reflect")}}},
      {.name = "wrap",
       .inputs = {{"x", DType::f32, {4, 2}, {}}},
       .params = {{"axes", std::vector<double>{0}}, {"after", std::vector<double>{6}}, {"mode", std::string("wrap")}}},
  };
}

}  // namespace hw::nodes::pad

HW_NODE(pad)
