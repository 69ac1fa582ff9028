// Join Meshes: two meshes as one, side by side in their common space. Each triangle keeps its material.
#include <algorithm>
#include <limits>

#include "engine/node/node_type.h"

namespace hw::nodes::join_meshes {

static void declare(NodeDecl& d) {
  d.title("Join Meshes").category("Source").summary("Makes one mesh of two, so that one Viewport shows both.");
  d.doc(
      "The triangles of `a`, then those of `b`, in their common space; move or size one with Transform Mesh first. "
      "Where the origins that were taken off them differ, `b` is brought to that of `a`. "
      "Each triangle keeps its texture, base colour and vertex colours. Vertices of a mesh without UVs get (0, 0), "
      "without vertex colours white. Join again for more than two.");
  d.source("Blender, Join Geometry");
  d.keywords("merge combine several scene geometry append");
  d.input("a").mesh();
  d.input("b").mesh();
  d.output("mesh").mesh();
}

static Result<Shapes> shape(const ShapeArgs&) {
  return Shapes{{.kind = Kind::mesh}};
}

/// Appends `more` for `count` vertices to `all`, which has `before`; where one of the two has none: `fill`.
template <class T>
static void append(std::vector<T>& all, size_t before, const std::vector<T>& more, size_t count, const T& fill) {
  if (all.empty() && more.empty()) return;
  all.resize(before, fill);
  all.insert(all.end(), more.begin(), more.end());
  all.resize(before + count, fill);
}

/// From the origin of `a` to that of `b`.
static std::array<double, 3> between(const Mesh& a, const Mesh& b) {
  return {b.origin[0] - a.origin[0], b.origin[1] - a.origin[1], b.origin[2] - a.origin[2]};
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  const auto first = args.mesh("a"), second = args.mesh("b");
  constexpr size_t limit = std::numeric_limits<uint32_t>::max();
  if (first->positions.size() + second->positions.size() > limit ||
      first->triangles.size() + second->triangles.size() > limit) {
    b.fail({codes::asset_lacks, "b", "together the meshes have more than 2^32 - 1 vertices or triangles.",
            "Join smaller meshes."});
    return {first};
  }
  auto joined = std::make_shared<Mesh>(*first);
  const size_t before = first->positions.size(), count = second->positions.size();
  joined->name = first->name + " + " + second->name;
  const std::array<double, 3> apart = between(*first, *second);
  const auto moved = [&](std::array<float, 3> p) {
    for (size_t axis = 0; axis < 3; ++axis) p[axis] = static_cast<float>(p[axis] + apart[axis]);
    return p;
  };
  for (const auto& position : second->positions) joined->positions.push_back(moved(position));
  append(joined->normals, before, second->normals, count, {0, 0, 1});
  append(joined->uvs, before, second->uvs, count, {0, 0});
  append(joined->colours, before, second->colours, count, {1, 1, 1});
  for (auto triangle : second->triangles) {
    for (uint32_t& vertex : triangle) vertex += static_cast<uint32_t>(before);
    joined->triangles.push_back(triangle);
  }
  for (MeshPart part : second->parts) {
    part.first_triangle += static_cast<uint32_t>(first->triangles.size());
    joined->parts.push_back(std::move(part));
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    joined->bounds_min[axis] = std::min(first->bounds_min[axis], moved(second->bounds_min)[axis]);
    joined->bounds_max[axis] = std::max(first->bounds_max[axis], moved(second->bounds_max)[axis]);
  }
  joined->warnings.insert(joined->warnings.end(), second->warnings.begin(), second->warnings.end());
  joined->notes.insert(joined->notes.end(), second->notes.begin(), second->notes.end());
  return {std::shared_ptr<const Mesh>(std::move(joined))};
}

static Examples examples() {
  return {{.name = "two",
           .inputs = {{.socket = "a"}, {.socket = "b"}},
           .no_gradient_because = "a mesh has no gradient in this version"}};
}

}  // namespace hw::nodes::join_meshes

HW_NODE(join_meshes)
