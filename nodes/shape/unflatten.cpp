// Unflatten: one axis becomes several.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::unflatten {

/// `sizes` with the numbers that -1 and 0 stand for. `like`: the size that 0 takes, -1 where nothing is wired.
static Result<Dims> parts_of(const Params& p, int64_t whole, int64_t like) {
  HW_TRY(Dims sizes, shapes::whole_numbers(p, "sizes"));
  const std::string asked = to_string(ParamValue(p.vector("sizes")));
  if (sizes.empty() || std::ranges::count(sizes, -1) > 1)
    return Error{codes::bad_parameter, "sizes", "are at least one number, and one -1 at most, got " + asked + ".", ""};
  if (std::ranges::count(sizes, 0) > 0 && like < 0)
    return Error{codes::bad_parameter, "sizes", "has a 0, the size of an axis of \"like\", which is not wired.",
                 "Wire a tensor with that axis into \"like\"."};
  std::ranges::replace(sizes, int64_t{0}, like);
  int64_t known = 1;
  for (const int64_t size : sizes) known = size == -1 ? known : size_product({known, size});
  for (int64_t& size : sizes)
    if (size == -1 && known > 0 && whole % known == 0) size = whole / known;
  if (std::ranges::count(sizes, -1) > 0 || element_count(sizes) != whole)
    return Error{codes::size_mismatch, "sizes",
                 "an axis of size " + std::to_string(whole) + " cannot become " + asked + ".",
                 "Use -1 for the size that follows from the others."};
  return sizes;
}

static void declare(NodeDecl& d) {
  d.title("Unflatten").category("Shape").summary("Makes several axes of one.");
  d.doc(
      "The axis `axis` becomes axes of these `sizes`, whose product is its size: [N, 48] along axis 1 with [4, -1] "
      "gives "
      "[N, 4, 12], the heads of attention. -1 follows from the others; 0 is the size that axis `like_axis` of `like` "
      "has, so that neither need be a number. Row major; no element is copied or rounded. Flatten is the reverse.");
  d.source("PyTorch, `torch.unflatten`");
  d.keywords("reshape view split axis heads groups");
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative.").range(-8, 7);
  d.vector("sizes", {-1}).docs("Of the new axes; -1: what is left; 0: as in `like`.").range(-1, 1 << 28);
  d.integer("like_axis", 0).labelled("Axis of like").docs("Of the tensor `like`; negative: from the end.").range(-8, 7);
  d.input("x").dtype_group("T");
  SocketDecl& like = d.input("like").dtype_group("L").docs("A tensor, one of whose sizes is taken.");
  like.optional = true;
  d.output("y").dtype_group("T");
}

/// The size that a 0 takes.
static Result<int64_t> size_in_like(const Params& p, const Dims& like) {
  const auto rank = static_cast<int64_t>(like.size());
  const int64_t axis = p.integer("like_axis");
  if (axis < -rank || axis >= rank)
    return Error{codes::bad_parameter, "like_axis",
                 "names axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) + " axes.", ""};
  return like[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  const Shape& from = a.shape("x");
  int64_t like = -1;
  if (a.in("like")) {
    HW_TRY(like, size_in_like(a.params(), a.shape("like").dims()));
  }
  HW_TRY(const Dims parts, parts_of(a.params(), from[axis].size, like));
  Shape to;
  for (size_t d = 0; d < from.rank(); ++d) {
    if (d != axis) {
      to.push_back(from[d]);
      continue;
    }
    for (const int64_t size : parts) to.push_back({"", size, ""});
  }
  return Shapes{shapes::tensor(a.dtype("x"), to)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val x = a.in("x");
  const Dims from = b[x].dims;
  const auto axis = static_cast<size_t>(shapes::wrap_axis(a.params().integer("axis"), from.size()));
  const auto like = a.has("like") ? size_in_like(a.params(), b[a.in("like")].dims) : Result<int64_t>(-1);
  const auto parts = like ? parts_of(a.params(), from[axis], *like) : Result<Dims>(like.error());
  if (!parts) return b.fail(parts.error()), Lowered{Val{}};
  const std::vector<std::string> names = b[x].axes;
  Dims to;
  std::vector<std::string> axes;
  for (size_t d = 0; d < from.size(); ++d) {
    to.insert(to.end(), d == axis ? parts->begin() : from.begin() + static_cast<int64_t>(d),
              d == axis ? parts->end() : from.begin() + static_cast<int64_t>(d) + 1);
    if (!names.empty()) axes.resize(to.size(), d == axis ? "" : names[d]);
  }
  return {b.reshape(x, std::move(to), std::move(axes))};
}

static Examples examples() {
  return {
      {.name = "heads",
       .inputs = {{"x", DType::f32, {3, 12}, {"N", "C"}}},
       .params = {{"sizes", std::vector<double>{4, -1}}}},
      {.name = "like",
       .inputs = {{"x", DType::f32, {15, 2}, {}}, {"like", DType::i64, {5, 3}, {}, 0, 9}},
       .params = {{"axis", int64_t{0}}, {"sizes", std::vector<double>{0, -1}}}},
      {.name = "middle_axis",
       .inputs = {{"x", DType::f32, {2, 6, 3}, {"N", "C", "T"}}},
       .params = {{"axis", int64_t{-2}}, {"sizes", std::vector<double>{2, 1, 3}}}},
  };
}

}  // namespace hw::nodes::unflatten

HW_NODE(unflatten)
