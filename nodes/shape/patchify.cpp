// Patchify: pictures cut into square patches, each a token.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::patchify {

static void declare(NodeDecl& d) {
  d.title("Patchify").category("Shape").summary("Cuts pictures into square patches: one token a patch.");
  d.doc(
      "`x` [N, C, H, W] to `tokens` [N, (H / p) · (W / p), p · p · C] with p = `size`, which must divide H and W. "
      "Patches "
      "run from left to right, then down; within one, rows, then columns, then channels (the last axis runs fastest). "
      "A "
      "Linear after it is the patch embedding of a vision transformer, the same as a convolution with kernel and "
      "stride "
      "p. Elements are copied as they are.");
  d.source("Dosovitskiy et al. 2021, An Image is Worth 16x16 Words");
  d.keywords("patch embedding vision transformer vit tokens unfold im2col space to depth");
  d.integer("size", 8).labelled("Patch size").in_unit("pixels").range(1, 4096).logarithmic();
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.output("tokens").dtype_group("T").with_axes("N seq hidden");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "x", "N C H W"));
  const Shape& x = a.shape("x");
  const int64_t p = a.params().integer("size");
  for (size_t k = 1; k < 4; ++k) {
    if (!x[k].known())
      return Error{codes::size_mismatch, "x", "C, H and W need known sizes, got " + to_string(x) + ".", ""};
    if (k > 1 && x[k].size % p != 0)
      return Error{codes::size_mismatch, "x",
                   "axis " + std::string(k == 2 ? "H" : "W") + " of " + to_string(x) +
                       " is no multiple of the patch size " + std::to_string(p) + ".",
                   "Choose a patch size that divides it, or pad the picture."};
  }
  const int64_t count = size_product({x[2].size / p, x[3].size / p}), hidden = size_product({p, p, x[1].size});
  return Shapes{shapes::tensor(a.dtype("x"), Shape{x[0], {"seq", count, ""}, {"hidden", hidden, ""}})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims from = b[x].dims;
  const int64_t p = a.params().integer("size"), rows = from[2] / p, columns = from[3] / p;
  const Val cut = b.transpose(b.reshape(x, {from[0], from[1], rows, p, columns, p}), {0, 2, 4, 3, 5, 1});
  return {
      b.reshape(cut, {from[0], size_product({rows, columns}), size_product({p, p, from[1]})}, {"N", "seq", "hidden"})};
}

static Examples examples() {
  const auto picture = [](Dims dims) {
    return std::vector<ExampleInput>{{"x", DType::f32, std::move(dims), {"N", "C", "H", "W"}}};
  };
  return {
      {.name = "two", .inputs = picture({2, 3, 4, 6}), .params = {{"size", int64_t{2}}}},
      {.name = "whole", .inputs = picture({1, 2, 3, 3}), .params = {{"size", int64_t{3}}}},
      {.name = "pixels", .inputs = picture({1, 4, 2, 3}), .params = {{"size", int64_t{1}}}},
  };
}

}  // namespace hw::nodes::patchify

HW_NODE(patchify)
