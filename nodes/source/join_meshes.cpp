// Join Meshes: two meshes as one, side by side in their common space. Each triangle keeps its material.
#include <algorithm>
#include <limits>
#include <optional>

#include "engine/core/mesh_origin.h"
#include "engine/node/node_type.h"

namespace hw::nodes::join_meshes {

static void declare(NodeDecl& d) {
  d.title("Join Meshes").category("Source").summary("Makes one mesh of two, so that one Viewport shows both.");
  d.doc(
      "The triangles of `a`, then those of `b`, in their common space; move or size one with Transform Mesh first. "
      "Where the origins that were taken off them differ, "
      "both are brought to one that loses nothing of either; meshes too far apart for that are refused. "
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

/// An origin with which f32 holds both meshes as well as each by itself: that of `a` where it can be.
static std::optional<Point> common_origin(const Mesh& a, const Mesh& b) {
  SpaceBox all = box_of(a);
  const SpaceBox of_b = box_of(b);
  all.add(of_b.low);
  all.add(of_b.high);
  const auto keeps = [](const Mesh& mesh, const Point& origin) {
    return lost_step(mesh, origin) <= lost_step(mesh, mesh.origin);
  };
  for (const Point& origin : {a.origin, b.origin, origin_to_take(all)})
    if (keeps(a, origin) && keeps(b, origin)) return origin;
  return std::nullopt;
}

/// A position of `mesh` with another origin taken off.
static std::array<float, 3> moved(const std::array<float, 3>& p, const Mesh& mesh, const Point& origin) {
  std::array<float, 3> out;
  for (size_t axis = 0; axis < 3; ++axis) out[axis] = static_cast<float>(p[axis] + (mesh.origin[axis] - origin[axis]));
  return out;
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
  const std::optional<Point> origin = common_origin(*first, *second);
  if (!origin) {
    b.fail({codes::asset_lacks, "b",
            "the meshes lie so far from each other that f32 holds the places of one alone: of the other, what is finer "
            "than its steps would be lost.",
            "Move one beside the other with Transform Mesh before, or show them in Viewports of their own."});
    return {first};
  }
  auto joined = std::make_shared<Mesh>(*first);
  const size_t before = first->positions.size(), count = second->positions.size();
  joined->name = first->name + " + " + second->name;
  joined->origin = *origin;
  for (auto& position : joined->positions) position = moved(position, *first, *origin);
  for (const auto& position : second->positions) joined->positions.push_back(moved(position, *second, *origin));
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
    joined->bounds_min[axis] =
        std::min(moved(first->bounds_min, *first, *origin)[axis], moved(second->bounds_min, *second, *origin)[axis]);
    joined->bounds_max[axis] =
        std::max(moved(first->bounds_max, *first, *origin)[axis], moved(second->bounds_max, *second, *origin)[axis]);
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
