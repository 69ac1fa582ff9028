// Plot view: tensors as lines, beside one another. Lowers to nothing: the view evaluates the wires.
#include "engine/node/shapes.h"

namespace hw::nodes::plot_view {

static constexpr std::string_view kLines[] = {"a", "b", "c", "d"};

/// The axis along which a tensor's lines run: the last that is not of size 1.
static size_t line_axis(const Shape& shape) {
  size_t axis = shape.rank() - 1;
  while (axis > 0 && shape[axis].size == 1) --axis;
  return axis;
}

static void declare(NodeDecl& d) {
  d.title("Plot View").category("View").summary("Draws up to four tensors as lines over one another.");
  d.doc(
      "A line runs along a tensor's last axis that is longer than 1: [K], [K, 1] and [1, K] are one line of K points, "
      "[R, K] are R lines. Without `x` points are counted from 0; with `x` each point stands over its value of x, in "
      "ascending order, so samples drawn at random make a curve. NaN and infinite values leave gaps. The wires are "
      "evaluated together, anew for new weights, in evaluation mode; random sources give the same numbers each time.");
  d.source("Matplotlib, `pyplot.plot`");
  d.keywords("graph curve line chart function show display compare prediction target preview");
  d.role(Role::plot);
  d.input("x").may_be_open().docs("Where the points stand: as many values as each line has points.");
  d.input("a").docs("Drawn solid.");
  d.input("b").may_be_open().docs("Drawn dashed.");
  d.input("c").may_be_open().docs("Drawn dotted.");
  d.input("d").may_be_open().docs("Drawn with long dashes.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const WireType* x = a.in("x");
  for (const std::string_view socket : kLines) {
    const WireType* line = a.in(socket);
    if (!line) continue;
    if (line->shape.rank() == 0)
      return Error{codes::rank_mismatch, std::string(socket), "a line needs an axis to run along, got a scalar.",
                   "Wire a tensor with at least one axis."};
    const Axis& points = line->shape[line_axis(line->shape)];
    if (!x || !x->shape.fully_known() || !points.known()) continue;
    if (const int64_t places = element_count(x->shape.dims()); places != points.size)
      return Error{codes::size_mismatch, std::string(socket),
                   "its lines have " + std::to_string(points.size) + " points, but x " + to_string(x->shape) + " has " +
                       std::to_string(places) + " values.",
                   "Wire an x with one value for each point, or none."};
  }
  return Shapes{};
}

static Lowered lower(OpBuilder&, const LowerArgs&) {
  return {};
}

static Examples examples() {
  const std::string why = "it has no outputs";
  return {
      {.name = "line", .inputs = {{"a", DType::f32, {9}, {"N"}}}, .no_gradient_because = why},
      {.name = "over_x",
       .inputs = {{"x", DType::f32, {9, 1}, {"N", "C"}},
                  {"a", DType::f16, {9, 1}, {"N", "C"}},
                  {"b", DType::f64, {9}, {"N"}}},
       .no_gradient_because = why},
      {.name = "rows", .inputs = {{"a", DType::i32, {3, 5}, {"N", "C"}}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::plot_view

HW_NODE(plot_view)
