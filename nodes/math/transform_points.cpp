// Transform Points: an affine 4 × 4 matrix applied to points or directions in space.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::transform_points {

static void declare(NodeDecl& d) {
  d.title("Transform Points").category("Math").summary("Moves points, or turns directions, by a 4 × 4 matrix.");
  d.doc(
      "`y = A p + t`, where A is the upper left 3 × 3 of the matrix and t the first three of its last column; "
      "directions leave t out. The last row is not read: there is no perspective. [N, 3] points and one matrix [4, 4], "
      "or one for each sample [N, 4, 4], give [N, 3]. Sums are taken in f32 (f64 for f64). Normals of a surface that "
      "is "
      "not only turned want the inverse transpose instead.");
  d.source("glTF 2.0, section 3.5 (transformations), column vectors");
  d.keywords("transform matrix mat4 point direction position affine translate rotate scale model view pose");
  d.autocast(Autocast::widest);
  d.choice("as", "points", {"points", "directions"}).docs("Directions are not moved by the translation.");
  d.input("matrix").dtype_group("T", running_floats()).with_axes(".. 4 4");
  d.input("p").labelled("Points").dtype_group("T", running_floats()).with_axes(".. 3");
  d.output("y").dtype_group("T").with_axes(".. 3");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const shapes::ComponentSocket sockets[] = {{"p", {3}, "vec3"}, {"matrix", {4, 4}, "mat4"}};
  HW_TRY(Shape batch, shapes::batch_of(a, sockets));
  return Shapes{shapes::tensor(a.dtype("p"), shapes::with_vector(std::move(batch), 3))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val p = a.in("p"), matrix = a.in("matrix");
  if (!b.status()) return {Val{}};
  const std::pair<Val, int> components[] = {{p, 1}, {matrix, 2}};
  const shapes::LoweredBatch batch = shapes::lowered_batch(b, components);
  const int column = static_cast<int>(b[matrix].dims.size()) - 1;
  const Val affine = b.slice(matrix, column - 1, 0, 3);  // [.., 3, 4]
  Val y = vector_ops::matrix_vector(b, b.slice(affine, column, 0, 3), p);
  if (a.params().text("as") == "points") y = b.add(y, vector_ops::component(b, affine, 3));
  shapes::name_axes(b, y, batch, {"C"});
  return {y};
}

static Examples examples() {
  const ParamMap directions{{"as", std::string("directions")}};
  return {
      {.name = "one_pose",
       .inputs = {{"matrix", DType::f32, {4, 4}, {}}, {"p", DType::f32, {9, 3}, {"N", "C"}}},
       .tolerance_factor = 2},
      {.name = "one_for_each",
       .inputs = {{"matrix", DType::f32, {6, 4, 4}, {}}, {"p", DType::f32, {6, 3}, {"N", "C"}}},
       .tolerance_factor = 2},
      {.name = "directions",
       .inputs = {{"matrix", DType::f32, {2, 4, 4}, {}}, {"p", DType::f32, {3}, {}}},
       .params = directions,
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::transform_points

HW_NODE(transform_points)
