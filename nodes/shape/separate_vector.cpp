// Separate Vector: the components of a vector, one by one.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::separate_vector {

static constexpr const char* kLetters[] = {"x", "y", "z", "w"};

static void declare(NodeDecl& d) {
  d.title("Separate Vector").category("Shape").summary("Takes a vector of two to four components apart.");
  d.doc(
      "Each output is one component of `v`: [N, 3] gives three wires [N]. The gradient of `v` is made of those of its "
      "components; one whose output is not used gets none. Split cuts an axis in parts; Slice takes a range of it.");
  d.source("Blender, Separate XYZ");
  d.keywords("split separate break vector xyz rgb vec2 vec3 vec4 component unpack channel");
  d.integer("components", 3).docs("How many `v` has.").range(2, 4);
  d.input("v").labelled("Vector").dtype_group("T", running_floats()).with_axes(".. C");
}

static Status sockets(NodeDecl& d, const Params& p) {
  for (int64_t i = 0; i < p.integer("components"); ++i) d.output(kLetters[i]).labelled(kLetters[i]).dtype_group("T");
  return ok();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const int64_t count = a.params().integer("components");
  const shapes::ComponentSocket v[] = {{"v", {count}, "vec" + std::to_string(count)}};
  HW_TRY(const Shape batch, shapes::batch_of(a, v));
  return Shapes(static_cast<size_t>(count), shapes::tensor(a.dtype("v"), batch));
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const int64_t count = a.params().integer("components");
  const Val v = a.in("v");
  if (!b.status()) return Lowered(static_cast<size_t>(count), Val{});
  const std::pair<Val, int> components[] = {{v, 1}};
  const shapes::LoweredBatch batch = shapes::lowered_batch(b, components);
  Lowered out;
  for (int i = 0; i < count; ++i) {
    const Val part = vector_ops::component(b, v, i);
    shapes::name_axes(b, part, batch, {});
    out.emplace_back(part);
  }
  return out;
}

static Examples examples() {
  return {
      {.name = "position", .inputs = {{"v", DType::f32, {9, 3}, {"N", "C"}}}},
      {.name = "plane",
       .inputs = {{"v", DType::f32, {4, 5, 2}, {"H", "W", "C"}}},
       .params = {{"components", int64_t{2}}}},
      {.name = "one_quaternion", .inputs = {{"v", DType::f32, {4}, {}}}, .params = {{"components", int64_t{4}}}},
  };
}

}  // namespace hw::nodes::separate_vector

HW_ADAPTIVE_NODE(separate_vector)
