// Dot Product: the sum of products of two vectors' components.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::dot_product {

static void declare(NodeDecl& d) {
  d.title("Dot Product").category("Math").summary("Multiplies two vectors component by component and sums up.");
  d.doc(
      "`y = Σ a · b` over the last axis, which goes away: [N, 3] and [N, 3] give [N]. A vector without a batch, [3], "
      "meets every sample. The sum is taken in f32 (f64 for f64). The gradient of `a` is `b` times that of `y`, "
      "component by component, and the other way round.");
  d.source("NumPy, `numpy.vecdot`");
  d.keywords("dot inner scalar product vector cosine projection");
  d.autocast(Autocast::widest);
  d.input("a").dtype_group("T", running_floats()).with_axes(".. C");
  d.input("b").dtype_group("T", running_floats()).with_axes(".. C");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t size, shapes::last_size(a, "a"));
  const shapes::ComponentSocket sockets[] = {{"a", {size}, "vector"}, {"b", {size}, "vector"}};
  HW_TRY(Shape batch, shapes::batch_of(a, sockets));
  return Shapes{shapes::tensor(a.dtype("a"), std::move(batch))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  const Val x = args.in("a"), y = args.in("b");
  if (!b.status()) return {Val{}};
  const std::pair<Val, int> components[] = {{x, 1}, {y, 1}};
  const Val product = vector_ops::dot(b, x, y);
  shapes::name_axes(b, product, shapes::lowered_batch(b, components), {});
  return {product};
}

static Examples examples() {
  return {
      {.name = "vec3",
       .inputs = {{"a", DType::f32, {9, 3}, {"N", "C"}}, {"b", DType::f32, {9, 3}, {"N", "C"}}},
       .tolerance_factor = 2},
      {.name = "one_direction",
       .inputs = {{"a", DType::f32, {4, 5, 3}, {}}, {"b", DType::f32, {3}, {}}},
       .tolerance_factor = 2},
      {.name = "long",
       .inputs = {{"a", DType::f32, {3, 40}, {}}, {"b", DType::f32, {3, 40}, {}}},
       .tolerance_factor = 7},
  };
}

}  // namespace hw::nodes::dot_product

HW_NODE(dot_product)
