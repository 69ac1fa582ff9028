// Mesh: geometry and textures from a file.
#include "engine/node/node_type.h"

namespace hw::nodes::mesh_source {

static void declare(NodeDecl& d) {
  d.title("Mesh").category("Source").summary("Loads a mesh with its textures from a file.");
  d.doc(
      "Any format Assimp reads: triangulated, all scene transforms applied, in the file's own units. A model that lies "
      "more than 64 times its size from the origin is moved there, in f64, and moved back when it is exported. "
      "`asset:NAME` is "
      "looked up beside the graph and in the asset folders; another path is relative to the graph file. A changed "
      "file is read again. A scene of many meshes becomes one mesh in which each triangle keeps its own material: its "
      "texture times its base colour times the vertex colours. The UVs are those that its texture is looked up with: "
      "moved, scaled and turned as the material says. What a file lacks is a warning, not an error.");
  d.source("Assimp (Open Asset Import Library)");
  d.keywords("model file geometry import obj gltf dae fbx ply stl triangle asset");
  d.path("path", "").labelled("File").docs("`asset:NAME`, or a path relative to the graph file.");
  d.output("mesh").mesh();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.params().text("path").empty())
    return Error{codes::bad_parameter, "path", "no file is chosen yet.", "Choose a mesh file."};
  return Shapes{{.kind = Kind::mesh}};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  auto mesh = a.assets().mesh(a.params().text("path"));
  if (mesh) return {*mesh};
  const Error& e = mesh.error();
  b.fail({e.code, "path", e.where.empty() ? e.reason : e.where + ": " + e.reason, e.remedy});
  return {std::shared_ptr<const Mesh>()};
}

static Examples examples() {
  return {{.name = "file",
           .params = {{"path", std::string("asset:textured.obj")}},
           .no_gradient_because = "a mesh has no gradient in this version"}};
}

}  // namespace hw::nodes::mesh_source

HW_NODE(mesh_source)
