// Flatten: a run of axes becomes one.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::flatten {

struct Range {
  size_t first, last;  // axes, both included
};

static Result<Range> range_of(const Params& p, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  const int64_t ends[] = {p.integer("first"), p.integer("last")};
  size_t axes[2];
  for (size_t i = 0; i < 2; ++i) {
    const char* id = i ? "last" : "first";
    if (ends[i] < -count || ends[i] >= count)
      return Error{codes::bad_parameter, id,
                   "names axis " + std::to_string(ends[i]) + " of a tensor with " + std::to_string(rank) + " axes.",
                   "-1 is the last axis."};
    axes[i] = static_cast<size_t>(shapes::wrap_axis(ends[i], rank));
  }
  if (axes[0] > axes[1])
    return Error{
        codes::bad_parameter, "last",
        "names axis " + std::to_string(axes[1]) + ", which stands before the first, " + std::to_string(axes[0]) + ".",
        ""};
  return Range{axes[0], axes[1]};
}

static void declare(NodeDecl& d) {
  d.title("Flatten").category("Shape").summary("Makes one axis of several neighbours.");
  d.doc(
      "The axes `first` to `last` become one with the product of their sizes and the name of the first of them: "
      "[N, C, H, W] from axis 1 gives [N, C · H · W], what a Linear after a convolution takes. Row major: the last "
      "axis runs fastest. No element is copied or rounded.");
  d.source("PyTorch, `torch.flatten`");
  d.keywords("reshape view merge axes vector");
  d.integer("first", 1).labelled("First axis").docs("Counted from 0, or from the end when negative.").range(-8, 7);
  d.integer("last", -1).labelled("Last axis").docs("Counted from 0, or from the end when negative.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& from = a.shape("x");
  HW_TRY(const Range range, range_of(a.params(), from.rank()));
  Shape shape;
  for (size_t i = 0; i < from.rank(); ++i) {
    if (i <= range.first || i > range.last) {
      shape.push_back(from[i]);
      continue;
    }
    Axis& merged = shape[range.first];
    if (!merged.known() || !from[i].known())
      return Error{codes::size_mismatch, "x", "the flattened axes need known sizes, got " + to_string(from) + ".", ""};
    merged.size = size_product({merged.size, from[i].size});
  }
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val x = a.in("x");
  const auto range = range_of(a.params(), b[x].dims.size());
  if (!range) {
    b.fail(range.error());
    return {Val{}};
  }
  const bool named = b[x].axes.size() == b[x].dims.size();
  Dims dims;
  std::vector<std::string> axes;
  for (size_t i = 0; i < b[x].dims.size(); ++i) {
    if (i > range->first && i <= range->last) {
      dims.back() = size_product({dims.back(), b[x].dims[i]});
      continue;
    }
    dims.push_back(b[x].dims[i]);
    if (named) axes.push_back(b[x].axes[i]);
  }
  return {b.reshape(x, std::move(dims), std::move(axes))};
}

static Examples examples() {
  return {
      {.name = "features", .inputs = {{"x", DType::f32, {3, 2, 4, 5}, {"N", "C", "H", "W"}}}},
      {.name = "pixels",
       .inputs = {{"x", DType::f32, {4, 5, 3}, {"H", "W", "C"}}},
       .params = {{"first", int64_t{0}}, {"last", int64_t{-2}}}},
      {.name = "vector", .inputs = {{"x", DType::f32, {9, 4}, {}}}, .params = {{"first", int64_t{0}}}},
  };
}

}  // namespace hw::nodes::flatten

HW_NODE(flatten)
