// Combine Vector: numbers as the components of a vector.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::combine_vector {

static constexpr const char* kLetters[] = {"x", "y", "z", "w"};

static void declare(NodeDecl& d) {
  d.title("Combine Vector").category("Shape").summary("Makes a vector of two to four numbers.");
  d.doc(
      "Each input is one component, of any shape; `v` has one axis more, the last, as long as there are components: "
      "wires [N] give [N, 3]. An input without axes is the same in every sample. The gradient of an input is that of "
      "its component. Concat joins axes that are there already.");
  d.source("Blender, Combine XYZ");
  d.keywords("compose combine make vector xyz rgb vec2 vec3 vec4 component join pack");
  d.autocast(Autocast::widest);
  d.integer("components", 3).docs("How many there are.").range(2, 4);
  d.output("v").labelled("Vector").dtype_group("T").with_axes(".. C");
}

static Status sockets(NodeDecl& d, const Params& p) {
  for (int64_t i = 0; i < p.integer("components"); ++i)
    d.input(kLetters[i]).labelled(kLetters[i]).dtype_group("T", running_floats());
  return ok();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  std::vector<shapes::ComponentSocket> parts;
  for (int64_t i = 0; i < a.params().integer("components"); ++i) parts.push_back({kLetters[i], {}, "number"});
  HW_TRY(Shape batch, shapes::batch_of(a, parts));
  return Shapes{
      shapes::tensor(a.dtype("x"), shapes::with_vector(std::move(batch), static_cast<int64_t>(parts.size())))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  std::vector<Val> parts;
  std::vector<std::pair<Val, int>> components;
  for (int64_t i = 0; i < a.params().integer("components"); ++i) {
    parts.push_back(a.in(kLetters[i]));
    components.emplace_back(parts.back(), 0);
  }
  if (!b.status()) return {Val{}};
  const Val v = vector_ops::combined(b, parts);
  shapes::name_axes(b, v, shapes::lowered_batch(b, components), {"C"});
  return {v};
}

static Examples examples() {
  return {
      {.name = "three",
       .inputs = {{"x", DType::f32, {9}, {"N"}}, {"y", DType::f32, {9}, {"N"}}, {"z", DType::f32, {9}, {"N"}}}},
      {.name = "two_planes",
       .inputs = {{"x", DType::f32, {4, 5}, {"H", "W"}}, {"y", DType::f32, {}, {}}},
       .params = {{"components", int64_t{2}}}},
      {.name = "four",
       .inputs =
           {{"x", DType::f32, {}, {}}, {"y", DType::f32, {}, {}}, {"z", DType::f32, {}, {}}, {"w", DType::f32, {}, {}}},
       .params = {{"components", int64_t{4}}}},
  };
}

}  // namespace hw::nodes::combine_vector

HW_ADAPTIVE_NODE(combine_vector)
