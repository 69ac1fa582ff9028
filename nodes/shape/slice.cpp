// Slice: a range of one axis.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::slice {

struct Range {
  int64_t begin, end, step;
  int64_t size() const { return (end - begin + step - 1) / step; }
};

// Negative bounds count from the end; an end of 0 is the end of the axis. `like`: the sizes that give the end; null:
// the parameter does.
static Result<Range> range_of(const Params& p, int64_t size, const Dims* like) {
  const int64_t begin = p.integer("begin");
  int64_t end = p.integer("end");
  end = end <= 0 ? end + size : end;
  if (like) {
    const int64_t axis = p.integer("like_axis"), rank = std::ssize(*like);
    if (axis < -rank || axis >= rank)
      return Error{codes::bad_parameter, "like_axis",
                   "names axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) + " axes.", ""};
    end = (*like)[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
    if (end < 0)
      return Error{codes::size_mismatch, "like",
                   "the end is the size of axis " + std::to_string(axis) + " of `like`, which is not known.", ""};
  }
  return Range{begin < 0 ? begin + size : begin, end, p.integer("step")};
}

static void declare(NodeDecl& d) {
  d.title("Slice").category("Shape").summary("Takes a range of one axis.");
  d.doc(
      "`y = x[.., begin:end, ..]` along `axis`. Bounds count from 0, or from the end when negative; an `end` of 0 "
      "means the end of the axis. Channels 0 to 3 of a [N, 9] wire give [N, 3]. With a `step` of 2 it takes every "
      "other element. Where `like` is wired, the end is the size of its axis `like_axis`: as many positions of a table "
      "as a text has tokens. A range that is not in the axis is an error. The gradient is zero outside the range.");
  d.source("NumPy, basic slicing");
  d.keywords("crop range take channels select split narrow");
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.integer("begin", 0).docs("The first element taken.");
  d.integer("end", 0).docs("One past the last element taken; 0: to the end.");
  d.integer("step", 1).docs("From one element taken to the next.").range(1, 1 << 28);
  d.integer("like_axis", 0).labelled("Axis of like").docs("Of the tensor `like`; negative: from the end.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.input("like").dtype_group("L").may_be_open().docs("A tensor, one of whose sizes is the end; open: `end` is.");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  Shape shape = a.shape("x");
  if (!shape[axis].known())
    return Error{codes::size_mismatch, "x", "the sliced axis needs a known size, got " + to_string(shape) + ".", ""};
  const Dims like = a.in("like") ? a.shape("like").dims() : Dims();
  HW_TRY(const Range range, range_of(a.params(), shape[axis].size, a.in("like") ? &like : nullptr));
  const auto [begin, end, step] = range;
  if (begin < 0 || end > shape[axis].size || begin >= end) {
    const bool at_begin = begin < 0 || begin >= shape[axis].size;
    const bool at_like = !at_begin && a.in("like");
    return Error{at_like ? codes::size_mismatch : codes::bad_parameter,
                 at_begin  ? "begin"
                 : at_like ? "like"
                           : "end",
                 "takes " + std::to_string(begin) + " to " + std::to_string(end) + " of an axis of size " +
                     std::to_string(shape[axis].size) + " in " + to_string(shape) + "; that is no range in it.",
                 ""};
  }
  shape[axis].size = range.size();
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const Dims like = a.has("like") ? b[a.in("like")].dims : Dims();
  const auto range = range_of(a.params(), b[x].dims[static_cast<size_t>(axis)], a.has("like") ? &like : nullptr);
  if (!range) return b.fail(range.error()), Lowered{Val{}};
  if (range->step == 1) return {b.slice(x, axis, range->begin, range->end)};
  Tensor places(DType::i64, {range->size()});
  for (int64_t i = 0; i < places.size(); ++i) places.as<int64_t>()[i] = range->begin + i * range->step;
  const std::vector<std::string> axes = b[x].axes;
  const Val y = index_ops::taken(b, x, b.constant(std::move(places)), axis);
  b.set_axes(y, axes);
  return {y};
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
      {.name = "steps",
       .inputs = {{"x", DType::f32, {3, 7, 2}, {}}},
       .params = {{"axis", int64_t{1}}, {"begin", int64_t{1}}, {"step", int64_t{3}}}},
      {.name = "as_many_as_another",
       .inputs = {{"x", DType::f32, {6, 3}, {"T", "C"}}, {"like", DType::i64, {2, 4}, {}, 0, 9}},
       .params = {{"axis", int64_t{0}}, {"like_axis", int64_t{-1}}}},
  };
}

}  // namespace hw::nodes::slice

HW_NODE(slice)
