// Normalise Vector: vectors of length 1.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::normalise_vector {

static void declare(NodeDecl& d) {
  d.title("Normalise Vector").category("Math").summary("Divides each vector by its length.");
  d.doc(
      "`y = v / √Σ v²` over the last axis: directions of [N, 3], quaternions of [N, 4], features of any size. Computed "
      "in f32 (f64 for f64) and rounded once. The zero vector stays zero, and its gradient passes unchanged.\n\n"
      "The gradient of `v` is that of `y` without its part along `y`, divided by the length.");
  d.source("GLSL, `normalize`; PyTorch, `torch.nn.functional.normalize` with eps 0");
  d.keywords("normalize unit length direction quaternion vector versor");
  d.autocast(Autocast::f32);
  d.input("v").labelled("Vector").dtype_group("T", running_floats()).with_axes(".. C");
  d.output("y").dtype_group("T").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t size, shapes::last_size(a, "v"));
  if (size < 1)
    return Error{codes::size_mismatch, "v", "needs at least one component, got " + to_string(a.shape("v")) + ".", ""};
  return shapes::same_as(a, "v");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val v = a.in("v");
  if (!b.status()) return {Val{}};
  const std::vector<std::string> axes = b[v].axes;
  const Val y = vector_ops::normalized(b, v);
  b.set_axes(y, axes);
  return {y};
}

static Examples examples() {
  return {
      {.name = "directions", .inputs = {{"v", DType::f32, {9, 3}, {"N", "C"}}}},
      {.name = "quaternions", .inputs = {{"v", DType::f32, {2, 5, 4}, {}, 0.1, 2}}},
      {.name = "features", .inputs = {{"v", DType::f32, {3, 33}, {"N", "C"}}}, .tolerance_factor = 6},
  };
}

}  // namespace hw::nodes::normalise_vector

HW_NODE(normalise_vector)
