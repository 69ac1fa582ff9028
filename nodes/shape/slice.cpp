// Slice: a range of one axis.
#include "engine/node/shapes.h"

namespace hw::nodes::slice {

struct Range {
  int64_t begin, end;
};

// Negative bounds count from the end; an end of 0 is the end of the axis.
static Range range_of(const Params& p, int64_t size) {
  const int64_t begin = p.integer("begin"), end = p.integer("end");
  return {begin < 0 ? begin + size : begin, end <= 0 ? end + size : end};
}

static void declare(NodeDecl& d) {
  d.title("Slice").category("Shape").summary("Takes a range of one axis.");
  d.doc(
      "`y = x[.., begin:end, ..]` along `axis`. Bounds count from 0, or from the end when negative; an `end` of 0 "
      "means the end of the axis. Channels 0 to 3 of a [N, 9] wire give [N, 3]. The gradient is zero outside the "
      "range.");
  d.source("NumPy, basic slicing");
  d.keywords("crop range take channels select split narrow");
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.integer("begin", 0).docs("The first element taken.");
  d.integer("end", 0).docs("One past the last element taken; 0: to the end.");
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  Shape shape = a.shape("x");
  if (!shape[axis].known())
    return Error{codes::size_mismatch, "x", "the sliced axis needs a known size, got " + to_string(shape) + ".", ""};
  const auto [begin, end] = range_of(a.params(), shape[axis].size);
  if (begin < 0 || end > shape[axis].size || begin >= end) {
    const bool at_begin = begin < 0 || begin >= shape[axis].size;
    return Error{codes::bad_parameter, at_begin ? "begin" : "end",
                 "takes " + std::to_string(begin) + " to " + std::to_string(end) + " of an axis of size " +
                     std::to_string(shape[axis].size) + " in " + to_string(shape) + "; that is no range in it.",
                 ""};
  }
  shape[axis].size = end - begin;
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const auto [begin, end] = range_of(a.params(), b[x].dims[static_cast<size_t>(axis)]);
  return {b.slice(x, axis, begin, end)};
}

static Examples examples() {
  return {
      {.name = "colour",
       .inputs = {{"x", DType::f32, {8, 9}, {"N", "C"}}},
       .params = {{"begin", int64_t{0}}, {"end", int64_t{3}}}},
      {.name = "from_the_end", .inputs = {{"x", DType::f32, {5, 6}, {}}}, .params = {{"begin", int64_t{-2}}}},
      {.name = "middle_axis",
       .inputs = {{"x", DType::f32, {3, 7, 2}, {}}},
       .params = {{"axis", int64_t{1}}, {"begin", int64_t{2}}, {"end", int64_t{-1}}}},
  };
}

}  // namespace hw::nodes::slice

HW_NODE(slice)
