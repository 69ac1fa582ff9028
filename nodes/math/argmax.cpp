// ArgMax and ArgMin: where the largest or smallest element along an axis is.
#include "engine/node/shapes.h"

namespace hw::nodes::argmax {

static void declare(NodeDecl& d) {
  d.title("ArgMax").category("Math").summary("Where the largest element along an axis is, or the smallest.");
  d.doc(
      "`y` is the place, from 0, of the largest element along `axis`, i64: the first of equals; a NaN is the largest. "
      "The axis goes away; with keep it stays, with size 1. Of scores [N, C] along axis 1 it is the class of each "
      "sample. `smallest` asks for the smallest. No gradient passes.");
  d.source("NumPy, `numpy.argmax`; ONNX, ArgMax, ArgMin");
  d.keywords("argmin index maximum minimum class prediction label where ArgMax ArgMin");
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.boolean("smallest", false).docs("ArgMin: where the smallest is.");
  d.boolean("keep", false).docs("Leave the axis in the shape, with size 1.");
  d.input("x").dtypes(running_floats());
  d.output("y").dtypes({DType::i64});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  const Shape& x = a.shape("x");
  if (x[axis].size == 0)
    return Error{codes::size_mismatch, "x", "there is no largest of no elements in " + to_string(x) + ".", ""};
  Shape y;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (d != axis) y.push_back(x[d]);
    if (d == axis && a.params().boolean("keep")) y.push_back({x[d].name, 1, ""});
  }
  return Shapes{shapes::tensor(DType::i64, y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const Val y = b.argmax(a.params().boolean("smallest") ? b.unary(UnaryFn::neg, x) : x, axis);
  if (!b.status() || !a.params().boolean("keep")) return {y};
  Dims dims = b[x].dims;
  dims[static_cast<size_t>(axis)] = 1;
  return {b.reshape(y, std::move(dims), b[x].axes)};
}

static Examples examples() {
  const std::string why = "the result is a whole number";
  return {
      {.name = "classes", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}}}, .no_gradient_because = why},
      {.name = "smallest_kept",
       .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}}},
       .params = {{"axis", int64_t{1}}, {"smallest", true}, {"keep", true}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::argmax

HW_NODE(argmax)
