// Surface sampler: random points on a mesh, uniform over its area, anew at every step.
#include "engine/node/node_type.h"

namespace hw::nodes::surface_sampler {

static void declare(NodeDecl& d) {
  d.title("Surface Sampler")
      .category("Source")
      .summary("Random points on a mesh, with normals, UVs and texture colour.");
  d.doc(
      "N points, uniform over the area of the surface, drawn anew at every step by Philox4x32-10 from the run's seed: "
      "the same points on every device. All outputs are f32: `position` [N, 3] in mesh units, `normal` [N, 3] of unit "
      "length (interpolated), `uv` [N, 2] (0 where the mesh has none), `color` [N, 3] in [0, 1]: the texture, "
      "bilinear and repeating, times the base colour and the vertex colours, sRGB-encoded as stored. Position, normal "
      "and UV are domain "
      "variables: a viewer evaluates what depends on them at its own pixels.");
  d.source("Osada et al. 2002, Shape Distributions (sampling a triangle); Salmon et al. 2011 (Philox)");
  d.keywords("points random scatter samples texture training data batch");
  d.integer("points", 65536).docs("Points at each step: the batch size.").range(1, 1 << 24).logarithmic().batch();
  d.random();
  d.input("mesh").mesh();
  d.output("position").with_axes("N C").provides("position").dtypes({DType::f32}).docs("In mesh units.");
  d.output("normal").with_axes("N C").provides("normal").dtypes({DType::f32}).docs("Unit length.");
  d.output("uv").labelled("UV").with_axes("N C").provides("uv").dtypes({DType::f32}).docs("v points up.");
  d.output("color").labelled("Colour").with_axes("N C").dtypes({DType::f32}).docs("sRGB-encoded, in [0, 1].").up_to(1);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Axis n{"N", a.params().integer("points"), ""};
  const WireType three{.dtype = DType::f32, .shape = {n, {"C", 3, ""}}};
  const WireType two{.dtype = DType::f32, .shape = {n, {"C", 2, ""}}};
  return Shapes{three, three, two, three};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const auto mesh = a.mesh("mesh");
  if (mesh && mesh->triangles.empty())
    b.fail({codes::asset_lacks, "mesh", "has no triangles, so there is no surface to sample.", "Choose another mesh."});
  if (!b.status()) return {Val{}, Val{}, Val{}, Val{}};
  const auto s = b.sample_surface(mesh, a.params().integer("points"));
  for (const Val v : {s.position, s.normal, s.uv, s.colour}) b.set_axes(v, {"N", "C"});
  return {s.position, s.normal, s.uv, s.colour};
}

static Examples examples() {
  const std::string why = "samples do not depend on a tensor";
  return {
      {.name = "points",
       .inputs = {{.socket = "mesh"}},
       .params = {{"points", int64_t{257}}},
       .tolerance_factor = 4,
       .no_gradient_because = why},
      {.name = "one", .inputs = {{.socket = "mesh"}}, .params = {{"points", int64_t{1}}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::surface_sampler

HW_NODE(surface_sampler)
