// Indices: the numbers of the places along an axis.
#include <numeric>

#include "engine/node/shapes.h"

namespace hw::nodes::indices {

static void declare(NodeDecl& d) {
  d.title("Indices").category("Shape").summary("Counts along an axis of a tensor: 0, 1, 2 and so on.");
  d.doc(
      "`y` is the whole numbers from 0 to one less than the size of `x` along `axis`: the positions of tokens, for an "
      "Embedding, or the sides of a mask, with Compare. The values of `x` do not matter.");
  d.source("PyTorch, `torch.arange`; ONNX, Range");
  d.keywords("arange range iota positions count index tokens mask");
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative.").range(-8, 7);
  d.input("x").dtype_group("T").docs("A tensor whose size is taken.");
  d.output("y").dtypes({DType::i64});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "x"));
  Shape y;
  y.push_back(a.shape("x")[axis]);
  return Shapes{shapes::tensor(DType::i64, y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val x = a.in("x");
  const auto axis = static_cast<size_t>(shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size()));
  Tensor places(DType::i64, {b[x].dims[axis]});
  std::iota(places.as<int64_t>(), places.as<int64_t>() + places.size(), int64_t{0});
  const Val y = b.constant(std::move(places));
  if (!b[x].axes.empty()) b.set_axes(y, {b[x].axes[axis]});
  return {y};
}

static Examples examples() {
  const std::string why = "whole numbers have no gradient";
  return {
      {.name = "tokens", .inputs = {{"x", DType::f32, {2, 7}, {"N", "T"}}}, .no_gradient_because = why},
      {.name = "rows",
       .inputs = {{"x", DType::i64, {5, 3}, {}, 0, 9}},
       .params = {{"axis", int64_t{0}}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::indices

HW_NODE(indices)
