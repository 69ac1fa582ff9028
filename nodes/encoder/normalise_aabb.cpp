// Normalise: positions inside a box, mapped to [0, 1] on every axis.
#include <algorithm>
#include <cmath>

#include "engine/node/shapes.h"

namespace hw::nodes::normalise_aabb {

struct Map {
  std::vector<double> scale, offset;
};

// y = x · scale + offset, from [min, max] to [0, 1]. An axis without extent maps to 0.5: a flat mesh stays usable.
static Map map_of(const std::vector<double>& min, const std::vector<double>& max) {
  Map map;
  for (size_t i = 0; i < min.size(); ++i) {
    const double extent = max[i] - min[i];
    // Below the rounding of f32 positions an extent is noise.
    const bool flat = extent <= 1e-7 * std::max(std::abs(min[i]), std::abs(max[i]));
    map.scale.push_back(flat ? 0 : 1 / extent);
    map.offset.push_back(flat ? 0.5 : -min[i] / extent);
  }
  return map;
}

static void declare(NodeDecl& d) {
  d.title("Normalise").category("Encoder").summary("Maps positions from a bounding box to [0, 1] on every axis.");
  d.doc(
      "`y = (x - min) / (max - min)`, per component of the last axis; [N, D] to [N, D]. The box is that of the mesh "
      "when one is wired, else `min` and `max`. With `clamp`, positions outside are moved to the nearest face and get "
      "no gradient. A component without extent becomes 0.5. Computed as one multiply and one add in f32 (f64 for "
      "f64).");
  d.source("nvdiffrec, `render/mlptexture.py` (Munkberg et al. 2022)");
  d.keywords("normalize aabb bounds bounding box unit cube scale position");
  d.vector("min", {-1, -1, -1}).docs("Lower corner, one number a component; unused when a mesh is wired.");
  d.vector("max", {1, 1, 1}).docs("Upper corner, one number a component; unused when a mesh is wired.");
  d.boolean("clamp", true).docs("Move positions outside the box to its faces.");
  d.input("position").with_axes("N D").dtype_group("T", running_floats());
  d.input("mesh").mesh().may_be_open().docs("Its bounds replace `min` and `max`.");
  d.output("y").labelled("Normalised").with_axes("N D").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t size, shapes::last_size(a, "position"));
  const std::string got = "the position is " + to_string(a.shape("position"));
  if (a.in("mesh")) {
    if (size != 3)
      return Error{codes::size_mismatch, "position", "the bounds of a mesh have 3 components; " + got + ".", ""};
    return shapes::same_as(a, "position");
  }
  const auto& min = a.params().vector("min");
  const auto& max = a.params().vector("max");
  for (const char* id : {"min", "max"}) {
    const auto& corner = a.params().vector(id);
    if (corner.size() != static_cast<size_t>(size))
      return Error{
          codes::bad_parameter, id,
          "needs " + std::to_string(size) + " numbers: " + got + ", the corner " + to_string(ParamValue(corner)) + ".",
          ""};
  }
  for (size_t i = 0; i < min.size(); ++i) {
    if (min[i] > max[i] || !std::isfinite(max[i] - min[i]))
      return Error{codes::bad_parameter, "max",
                   "must not be below min, nor too far from it: min " + to_string(ParamValue(min)) + ", max " +
                       to_string(ParamValue(max)) + ".",
                   ""};
  }
  return shapes::same_as(a, "position");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  std::vector<double> min = a.params().vector("min"), max = a.params().vector("max");
  if (a.has("mesh")) {
    const auto mesh = a.mesh("mesh");
    min.assign(mesh->bounds_min.begin(), mesh->bounds_min.end());
    max.assign(mesh->bounds_max.begin(), mesh->bounds_max.end());
  }
  Map map = map_of(min, max);
  const Val y = b.affine(a.in("position"), std::move(map.scale), std::move(map.offset));
  return {a.params().boolean("clamp") ? b.clamp(y, 0, 1) : y};
}

static Examples examples() {
  return {
      {.name = "clamped", .inputs = {{"position", DType::f32, {41, 3}, {"N", "C"}, -1.3, 1.3}}},
      {.name = "free_2d",
       .inputs = {{"position", DType::f32, {17, 2}, {"N", "C"}, -3, 3}},
       .params = {{"min", std::vector<double>{-2, 0}}, {"max", std::vector<double>{2, 5}}, {"clamp", false}}},
      {.name = "flat",
       .inputs = {{"position", DType::f32, {17, 3}, {"N", "C"}}},
       .params = {{"min", std::vector<double>{-1, 0.25, -1}}, {"max", std::vector<double>{1, 0.25, 1}}}},
      {.name = "mesh", .inputs = {{"position", DType::f32, {23, 3}, {"N", "C"}, -0.5, 0.5}, {.socket = "mesh"}}},
  };
}

}  // namespace hw::nodes::normalise_aabb

HW_NODE(normalise_aabb)
