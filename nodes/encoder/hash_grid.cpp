// Multi-resolution hash grid: trainable features on grids of growing resolution, interpolated at a position.
#include <cmath>

#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::hash_grid {

static void declare(NodeDecl& d) {
  d.title("Hash Grid").category("Encoder").summary("Encodes positions with trainable features on grids of many sizes.");
  d.doc(
      "`x` [N, D] f32 in [0, 1], D = 2 or 3, to `features` [N, levels · features] in `dtype`. Level l is a grid of "
      "resolution about `base_resolution` · `per_level_scale`^l; its corners index a table of at most 2^`log2_table` "
      "entries: directly where the grid fits, else by a hash. Features are interpolated multilinearly, or with "
      "smoothstep weights. `table` [entries, features] is stored in `dtype` and starts uniform in ±1e-4; its gradient "
      "accumulates in f32 and is stored in `gradient`. `per_level_scale` = exp(ln(256) / 15) ≈ 1.4473 spans 16 to 4096 "
      "in 16 levels (nvdiffrec). "
      "The gradient of `x` jumps where a position crosses into another cell.\n\nAdam updates the elements of the table "
      "whose gradient is not 0 alone, as tiny-cuda-nn does: the others get neither momentum nor weight decay in that "
      "step, and each element counts its own updates (up to 65535) for the bias correction. SGD, a table that two "
      "nodes "
      "share, and one that a Gradient node in the loss goes through are updated as a whole.");
  d.source("Müller et al. 2022, Instant Neural Graphics Primitives; conventions of tiny-cuda-nn");
  d.keywords("encoding instant ngp multiresolution feature grid embedding texture tcnn");
  d.integer("levels", 16).range(1, 32);
  d.integer("features", 2).docs("Features of each level.").range(1, 8);
  d.integer("log2_table", 19)
      .labelled("Table size")
      .in_unit("log2")
      .docs("Entries of a level, at most.")
      .range(4, 24)
      .checked_with(12);
  d.integer("base_resolution", 16).docs("Resolution of the coarsest level.").range(1, 4096).logarithmic();
  d.real("per_level_scale", 2).docs("From one level's resolution to the next's.").range(1, 16).logarithmic();
  d.choice("interpolation", "linear", {"linear", "smoothstep"}).docs("Smoothstep: continuous gradients.");
  d.dtype("dtype", DType::f16, running_floats()).labelled("dtype").docs("Storage dtype of the table and the features.");
  d.choice("gradient", "f32", {"f32", "f16"})
      .labelled("Table gradient")
      .docs(
          "What the table's gradient is stored in, after its sum in f32. f16 halves what is stored and what the "
          "optimiser reads (on a CPU the sums in f32 stay beside it: it saves nothing there), and loses small "
          "gradients: "
          "up to 2^-25 they become 0, from 65520 on infinite. Use loss scaling, and watch its underflow in the "
          "instruments.");
  d.weight("table", "dtype", "[entries of all levels, features]");
  d.input("x").with_axes("N D").dtypes({DType::f32}).docs("Positions in [0, 1]; see Normalise.");
  d.output("features").with_axes("N C").dtype_of("dtype");
}

static HashGridAttr grid_of(const Params& p, int64_t dims) {
  HashGridAttr grid = make_hash_grid(static_cast<int>(dims), static_cast<int>(p.integer("levels")),
                                     static_cast<int>(p.integer("features")), static_cast<int>(p.integer("log2_table")),
                                     static_cast<double>(p.integer("base_resolution")), p.real("per_level_scale"),
                                     p.text("interpolation") == "smoothstep");
  if (p.text("gradient") == "f16") grid.gradient = DType::f16;
  return grid;
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "x", "N D"));
  HW_TRY(const int64_t dims, shapes::last_size(a, "x"));
  if (dims != 2 && dims != 3)
    return Error{
        codes::size_mismatch, "x",
        "axis D must have size 2 or 3: positions in the plane or in space; got " + to_string(a.shape("x")) + ".",
        "Slice the components that are positions."};
  const Params& p = a.params();
  const double levels = static_cast<double>(p.integer("levels"));
  const double finest =
      static_cast<double>(p.integer("base_resolution")) * std::pow(p.real("per_level_scale"), levels - 1);
  if (finest > 0x1p24)
    return Error{codes::bad_parameter, "per_level_scale",
                 "gives the finest level a resolution of " + to_string(ParamValue(finest)) +
                     "; f32 positions tell at most 2^24 cells apart.",
                 "Use fewer levels or a smaller scale."};
  const int64_t channels = size_product({p.integer("levels"), p.integer("features")});
  return Shapes{shapes::tensor(p.dtype("dtype"), Shape{a.shape("x")[0], {"C", channels, ""}})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const HashGridAttr grid = grid_of(a.params(), b[x].dims.back());
  const Val table =
      b.param("table", a.params().dtype("dtype"), {grid.table_entries(), grid.features}, {Init::Kind::uniform, 1e-4});
  const Val features = b.hash_grid(x, table, grid);
  b.set_axes(features, {b[x].axes.empty() ? "" : b[x].axes.front(), "C"});
  return {features};
}

static Examples examples() {
  const ParamMap small{{"levels", int64_t{4}}, {"log2_table", int64_t{6}}, {"base_resolution", int64_t{3}}};
  const auto with = [&](ParamMap more) {
    more.insert(small.begin(), small.end());
    return more;
  };
  return {
      {.name = "space",
       .inputs = {{"x", DType::f32, {37, 3}, {"N", "C"}, 0, 1}},
       .params = with({{"per_level_scale", 1.5}}),
       .tolerance_factor = 3},
      {.name = "plane",
       .inputs = {{"x", DType::f32, {29, 2}, {"N", "C"}, 0, 1}},
       .params = with({{"features", int64_t{4}}}),
       .tolerance_factor = 3},
      {.name = "smoothstep",
       .inputs = {{"x", DType::f32, {23, 3}, {"rays", "C"}, 0, 1}},
       .params =
           with({{"per_level_scale", 1.5}, {"interpolation", std::string("smoothstep")}, {"features", int64_t{1}}}),
       .tolerance_factor = 3},
      {.name = "gradient_in_f16",
       .inputs = {{"x", DType::f32, {41, 3}, {"N", "C"}, 0, 1}},
       .params = with({{"per_level_scale", 1.5}, {"gradient", std::string("f16")}}),
       .tolerance_factor = 3},
      {.name = "nvdiffrec",
       .inputs = {{"x", DType::f32, {53, 3}, {"N", "C"}, 0, 1}},
       .params = {{"log2_table", int64_t{12}}, {"per_level_scale", 1.4472692374403782}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::hash_grid

HW_NODE(hash_grid)
