// Viewport: a mesh in 3D, coloured by a field. Lowers to nothing: the viewport evaluates the field at its own pixels.
#include "engine/node/shapes.h"

namespace hw::nodes::viewport {

static void declare(NodeDecl& d) {
  d.title("Viewport").category("View").summary("Draws a mesh in 3D, coloured by what the network says.");
  d.doc(
      "`field` [N, 3] is a colour, sRGB-encoded in [0, 1], that depends on the position, normal or UV of a Surface "
      "Sampler. It is evaluated anew for every pixel, in evaluation mode: the picture is the network, not a bake of "
      "it. Without a field the mesh is drawn with its own texture.");
  d.source("Blender, fields");
  d.keywords("3d view render display show picture camera");
  d.role(Role::viewport);
  d.input("mesh").mesh();
  d.input("field")
      .shows(Channels::color, {"position", "normal"})
      .dtype_group("T", running_floats())
      .may_be_open()
      .docs("Colour.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.in("field")) HW_CHECK(shapes::require_field(a, "field"));
  return Shapes{};
}

static Lowered lower(OpBuilder&, const LowerArgs&) {
  return {};
}

static Examples examples() {
  const std::string why = "it has no outputs";
  return {
      {.name = "field",
       .inputs = {{.socket = "mesh"}, {"field", DType::f32, {16, 3}, {"N", "C"}, 0, 1}},
       .no_gradient_because = why},
      {.name = "mesh_alone", .inputs = {{.socket = "mesh"}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::viewport

HW_NODE(viewport)
