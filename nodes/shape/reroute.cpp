// Reroute: a corner of a wire.
#include "engine/node/shapes.h"

namespace hw::nodes::reroute {

static void declare(NodeDecl& d) {
  d.title("Reroute").category("Shape").summary("A corner of a wire: hands on what it is given, of whatever kind.");
  d.doc(
      "`y = x`: a tensor of any dtype and shape, a mesh, a picture or a data set. It computes nothing and costs "
      "nothing. Shift and the right button, drawn across wires, put one on each.");
  d.source("Blender, Reroute");
  d.keywords("identity pass through wire dot corner knot");
  d.input("x").of_any_kind();
  d.output("y").of_any_kind();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return Shapes{*a.in("x")};
}

static Lowered lower(OpBuilder&, const LowerArgs& args) {
  return {args.arg("x")};
}

static Examples examples() {
  return {{.name = "matrix", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}}}},
          {.name = "scalar", .inputs = {{"x", DType::f64, {}, {}}}}};
}

}  // namespace hw::nodes::reroute

HW_NODE(reroute)
