// Cross Product: the vector at right angles to two vectors.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::cross_product {

static void declare(NodeDecl& d) {
  d.title("Cross Product").category("Math").summary("Gives the vector at right angles to two vectors of 3 components.");
  d.doc(
      "`y = (a.y b.z - a.z b.y, a.z b.x - a.x b.z, a.x b.y - a.y b.x)`: [N, 3] and [N, 3] give [N, 3], as long as the "
      "area between them. A vector without a batch, [3], meets every sample.");
  d.source("NumPy, `numpy.cross`");
  d.keywords("cross vector outer product normal perpendicular");
  d.autocast(Autocast::widest);
  d.input("a").dtype_group("T", running_floats()).with_axes(".. C");
  d.input("b").dtype_group("T", running_floats()).with_axes(".. C");
  d.output("y").dtype_group("T").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const shapes::ComponentSocket sockets[] = {{"a", {3}, "vec3"}, {"b", {3}, "vec3"}};
  HW_TRY(Shape batch, shapes::batch_of(a, sockets));
  return Shapes{shapes::tensor(a.dtype("a"), shapes::with_vector(std::move(batch), 3))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  const Val x = args.in("a"), y = args.in("b");
  if (!b.status()) return {Val{}};
  const std::pair<Val, int> components[] = {{x, 1}, {y, 1}};
  const Val product = vector_ops::cross(b, x, y);
  shapes::name_axes(b, product, shapes::lowered_batch(b, components), {"C"});
  return {product};
}

static Examples examples() {
  return {
      {.name = "samples",
       .inputs = {{"a", DType::f32, {11, 3}, {"N", "C"}}, {"b", DType::f32, {11, 3}, {"N", "C"}}},
       .tolerance_factor = 2},
      {.name = "one_axis",
       .inputs = {{"a", DType::f32, {3}, {}}, {"b", DType::f32, {2, 4, 3}, {}}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::cross_product

HW_NODE(cross_product)
