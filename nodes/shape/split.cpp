// Split: a tensor in two, along an axis.
#include "engine/node/shapes.h"

namespace hw::nodes::split {

// How many elements go to the first part; nothing when that is no place inside the axis.
static Result<int64_t> first_size(const Params& p, int64_t size) {
  const int64_t at = p.integer("at");
  if (at == 0 && size % 2 == 0 && size > 0) return size / 2;
  const int64_t first = at < 0 ? at + size : at;
  if (at != 0 && first > 0 && first < size) return first;
  const std::string axis = "an axis of size " + std::to_string(size);
  return Error{codes::bad_parameter, "at",
               at == 0 ? "cannot cut " + axis + " into two equal parts."
                       : "cuts at " + std::to_string(at) + ", which is not inside " + axis + ".",
               "Cut between 1 and the size less 1."};
}

static void declare(NodeDecl& d) {
  d.title("Split").category("Shape").summary("Cuts a tensor in two along an axis.");
  d.doc(
      "`a` is the part of `x` before `at`, `b` the rest: [N, 4] cut at 3 gives [N, 3] and [N, 1]. `at` counts from the "
      "end when negative; 0 cuts in two equal parts. For more parts split `b` again; for a part alone see Slice. The "
      "gradient of `x` is that of both parts, joined.");
  d.source("NumPy, `numpy.split`");
  d.keywords("chunk part halves divide unconcat separate channels");
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.integer("at", 0).labelled("Cut at").docs("Size of `a`; negative: less the size of `b`; 0: two equal parts.");
  d.input("x").dtype_group("T");
  d.output("a").dtype_group("T");
  d.output("b").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  Shape first = a.shape("x"), rest = first;
  if (!first[axis].known())
    return Error{codes::size_mismatch, "x", "the axis that is cut needs a known size, got " + to_string(first) + ".",
                 ""};
  HW_TRY(const int64_t size, first_size(a.params(), first[axis].size));
  rest[axis].size -= size;
  first[axis].size = size;
  return Shapes{shapes::tensor(a.dtype("x"), first), shapes::tensor(a.dtype("x"), rest)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}, Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  const int64_t whole = b[x].dims[static_cast<size_t>(axis)];
  const auto size = first_size(a.params(), whole);
  if (!size) {
    b.fail(size.error());
    return {Val{}, Val{}};
  }
  return {b.slice(x, axis, 0, *size), b.slice(x, axis, *size, whole)};
}

static Examples examples() {
  return {
      {.name = "halves", .inputs = {{"x", DType::f32, {9, 6}, {"N", "C"}}}},
      {.name = "colour_and_alpha", .inputs = {{"x", DType::f32, {8, 4}, {"N", "C"}}}, .params = {{"at", int64_t{3}}}},
      {.name = "last_row",
       .inputs = {{"x", DType::f32, {5, 3, 2}, {}}},
       .params = {{"axis", int64_t{0}}, {"at", int64_t{-1}}}},
  };
}

}  // namespace hw::nodes::split

HW_NODE(split)
