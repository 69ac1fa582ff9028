// Output: what a graph, or a group, gives.
#include "engine/node/shapes.h"

namespace hw::nodes::output {

static void declare(NodeDecl& d) {
  d.title("Output").category("View").summary("A value that the graph gives; in a group, a socket of its instances.");
  d.doc(
      "`y = x`, of any dtype and shape. In a graph: a result with a name, the node's id, as `run --output ID` asks for "
      "it. In a group: each instance has an output socket of that id.");
  d.source("ONNX, graph outputs; Blender, Group Output");
  d.keywords("result return socket interface graph group");
  shapes::declare_kind(d);
}

static Status sockets(NodeDecl& d, const Params& p) {
  d.input("x").kind = shapes::kind_of(p);
  d.output("y").kind = shapes::kind_of(p);
  return ok();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return Shapes{*a.in("x")};
}

static Lowered lower(OpBuilder&, const LowerArgs& args) {
  return {args.arg("x")};
}

static Examples examples() {
  return {{.name = "matrix", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}}}},
          {.name = "mesh",
           .inputs = {{"x"}},
           .params = {{"kind", std::string("mesh")}},
           .no_gradient_because = "it is no tensor"},
          {.name = "scalar", .inputs = {{"x", DType::f64, {}, {}}}}};
}

}  // namespace hw::nodes::output

HW_ADAPTIVE_NODE(output)
