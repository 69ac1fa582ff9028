// Tile: copies of a tensor, one after the other.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::tile {

// A count for each axis of the result; where there are fewer counts than axes the first axes have one copy.
static Result<std::vector<int64_t>> counts_of(const Params& p, size_t rank) {
  HW_TRY(auto counts, shapes::whole_numbers(p, "repeats"));
  if (counts.size() > rank)
    return Error{codes::bad_parameter, "repeats",
                 "has " + std::to_string(counts.size()) + " counts for " + std::to_string(rank) + " axes.",
                 "Unsqueeze puts in more axes."};
  counts.insert(counts.begin(), rank - counts.size(), 1);
  return counts;
}

static void declare(NodeDecl& d) {
  d.title("Tile").category("Shape").summary("Repeats a tensor along its axes.");
  d.doc(
      "Axis i of `y` is `repeats[i]` copies of that axis of `x`, one after the other: [a b] twice is [a b a b]. Fewer "
      "counts than axes are those of the last axes. Any dtype. The gradient is the sum over the copies.");
  d.source("NumPy, `numpy.tile`; PyTorch, `torch.tile`; ONNX, Tile");
  d.keywords("repeat copies replicate expand mosaic");
  d.vector("repeats", {2}).docs("Copies along each axis; the last count belongs to the last axis.").range(1, 1 << 20);
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  Shape y = a.shape("x");
  HW_TRY(const auto counts, counts_of(a.params(), y.rank()));
  for (size_t d = 0; d < y.rank(); ++d) {
    if (counts[d] == 1) continue;
    if (!y[d].known())
      return Error{codes::size_mismatch, "x", "a repeated axis needs a known size, got " + to_string(y) + ".",
                   "Give the source a fixed size."};
    y[d].size = size_product({y[d].size, counts[d]});
  }
  return Shapes{shapes::tensor(a.dtype("x"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const std::vector<std::string> names = b[x].axes;
  const auto counts = counts_of(a.params(), b[x].dims.size());
  if (!counts) return b.fail(counts.error()), Lowered{Val{}};
  Dims dims = b[x].dims;
  for (size_t d = dims.size(); d-- > 0;) {
    if ((*counts)[d] == 1) continue;
    const auto at = dims.begin() + static_cast<int64_t>(d);
    const int64_t outer = element_count({dims.begin(), at}), inner = element_count({at, dims.end()});
    dims[d] = size_product({dims[d], (*counts)[d]});
    x = b.reshape(b.broadcast_to(b.reshape(x, {outer, 1, inner}), {outer, (*counts)[d], inner}), dims);
  }
  b.set_axes(x, names);
  return {x};
}

static Examples examples() {
  return {
      {.name = "last", .inputs = {{"x", DType::f32, {3, 4}, {"N", "C"}}}},
      {.name = "both",
       .inputs = {{"x", DType::f32, {2, 3}, {"H", "W"}}},
       .params = {{"repeats", std::vector<double>{3, 2}}}},
      {.name = "whole_numbers",
       .inputs = {{"x", DType::u8, {3, 2}, {}, 0, 9}},
       .no_gradient_because = "whole numbers have no gradient"},
      {.name = "middle",
       .inputs = {{"x", DType::f32, {2, 3, 2}, {}}},
       .params = {{"repeats", std::vector<double>{4, 1}}}},
  };
}

}  // namespace hw::nodes::tile

HW_NODE(tile)
