// Transform Mesh: scales, turns and moves a mesh.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/mesh_origin.h"
#include "engine/node/node_type.h"

namespace hw::nodes::transform_mesh {

static void declare(NodeDecl& d) {
  d.title("Transform Mesh").category("Source").summary("Scales, turns and moves a mesh.");
  d.doc(
      "`p' = R · (scale · p) + move`, where R turns about the fixed axes x, then y, then z (right-handed). Normals are "
      "turned by the inverse transpose. An odd number of negative scales mirrors: triangles are wound the other way "
      "round, so that they face outwards again. A mesh that was read far from the origin turns and is scaled about the "
      "origin that was taken off it. Where f32 does not hold the place that it comes to, another origin is taken off.");
  d.source("Blender, Transform Geometry");
  d.keywords("move translate rotate scale size position mirror geometry");
  d.vector("move", {0, 0, 0}, 3).docs("In the mesh's units, x y z.").range(-1e9, 1e9);
  d.vector("rotate", {0, 0, 0}, 3).docs("About x, then y, then z.").in_unit("°").range(-360, 360);
  d.vector("scale", {1, 1, 1}, 3).docs("x y z; not 0.").range(-1e6, 1e6);
  d.input("mesh").mesh();
  d.output("mesh").mesh();
}

using Vec = std::array<double, 3>;

static Vec vec(const Params& params, const char* id) {
  const std::vector<double>& v = params.vector(id);
  return {v[0], v[1], v[2]};
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Vec scale = vec(a.params(), "scale");
  if (std::find(scale.begin(), scale.end(), 0.0) != scale.end())
    return Error{codes::bad_parameter, "scale", "a scale of 0 makes the mesh flat.",
                 "Give three numbers that are not 0."};
  return Shapes{{.kind = Kind::mesh}};
}

static Vec turn(Vec p, const Vec& cosines, const Vec& sines) {
  for (size_t axis = 0; axis < 3; ++axis) {
    double &u = p[(axis + 1) % 3], &v = p[(axis + 2) % 3];
    const double was = u;
    u = cosines[axis] * was - sines[axis] * v;
    v = sines[axis] * was + cosines[axis] * v;
  }
  return p;
}

static std::array<float, 3> narrow(const Vec& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

static Lowered lower(OpBuilder&, const LowerArgs& args) {
  const auto source = args.mesh("mesh");
  const Vec move = vec(args.params(), "move"), scale = vec(args.params(), "scale");
  Vec cosines, sines = vec(args.params(), "rotate");
  for (size_t axis = 0; axis < 3; ++axis) {
    const double radians = sines[axis] * std::numbers::pi / 180;
    cosines[axis] = std::cos(radians);
    sines[axis] = std::sin(radians);
  }
  auto mesh = std::make_shared<Mesh>(*source);
  const auto placed = [&](const std::array<float, 3>& position) {
    Vec p = turn({position[0] * scale[0], position[1] * scale[1], position[2] * scale[2]}, cosines, sines);
    for (size_t axis = 0; axis < 3; ++axis) p[axis] += move[axis] + source->origin[axis];
    return p;
  };
  SpaceBox box;
  for (const auto& position : source->positions) box.add(placed(position));
  if (lost_step(box, source->origin) > 0) mesh->origin = origin_to_take(box);
  for (auto& position : mesh->positions) {
    Vec p = placed(position);
    for (size_t axis = 0; axis < 3; ++axis) p[axis] -= mesh->origin[axis];
    position = narrow(p);
  }
  for (auto& normal : mesh->normals) {
    Vec n = turn({normal[0] / scale[0], normal[1] / scale[1], normal[2] / scale[2]}, cosines, sines);
    const double length = std::hypot(n[0], n[1], n[2]);
    if (length > 0) normal = narrow({n[0] / length, n[1] / length, n[2] / length});
  }
  if (scale[0] * scale[1] * scale[2] < 0)
    for (auto& triangle : mesh->triangles) std::swap(triangle[1], triangle[2]);
  if (!mesh->triangles.empty()) mesh->bounds_min = mesh->bounds_max = mesh->positions[mesh->triangles[0][0]];
  for (const auto& triangle : mesh->triangles)
    for (const uint32_t vertex : triangle)
      for (size_t axis = 0; axis < 3; ++axis) {
        mesh->bounds_min[axis] = std::min(mesh->bounds_min[axis], mesh->positions[vertex][axis]);
        mesh->bounds_max[axis] = std::max(mesh->bounds_max[axis], mesh->positions[vertex][axis]);
      }
  return {std::shared_ptr<const Mesh>(std::move(mesh))};
}

static Examples examples() {
  return {{.name = "all",
           .inputs = {{.socket = "mesh"}},
           .params = {{"move", std::vector<double>{1, 2, 3}},
                      {"rotate", std::vector<double>{30, 40, 50}},
                      {"scale", std::vector<double>{-1, 2, 0.5}}},
           .no_gradient_because = "a mesh has no gradient in this version"}};
}

}  // namespace hw::nodes::transform_mesh

HW_NODE(transform_mesh)
