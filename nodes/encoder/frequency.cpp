// Frequency Encoder: sines and cosines of a position at octaves, for networks that must follow fine detail.
#include <cmath>
#include <numbers>

#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::frequency {

static void declare(NodeDecl& d) {
  d.title("Frequency Encoder").category("Encoder").summary("Encodes every number as sines and cosines of octaves.");
  d.doc(
      "`x` [N, D] to `features` [N, D · 2 · n_frequencies]: for each component of `x`, for each k from 0 to "
      "n_frequencies - 1, `sin(2^k π x)`, then `cos(2^k π x)`. Positions in [0, 1] or [-1, 1] are usual; others are "
      "taken too, the period is 2.\n\n"
      "`features` has the dtype of `x`. Computed in f32 (f64 for f64) and rounded once: `2^k x` less a multiple of 2 "
      "is exact, and only then multiplied by π, so that high octaves stay as good as low ones. What `x` itself was "
      "rounded to counts, though: between 0.5 and 1 the waves are but 0 and ±1 from k = 8 on for bf16, from k = 11 on "
      "for f16; f32 serves every octave. Give positions in f32 and cast the features. The gradient of `x` grows with "
      "2^k.");
  d.source("Mildenhall et al. 2020, NeRF; order and factor π of tiny-cuda-nn, `Frequency`");
  d.keywords("encoding positional nerf fourier features sine cosine octaves sinusoidal tcnn");
  d.integer("n_frequencies", 12).labelled("Frequencies").docs("Octaves of each component.").range(1, 24);
  d.input("x").with_axes("N D").dtype_group("T", running_floats());
  d.output("features").with_axes("N C").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "x", "N D"));
  HW_TRY(const int64_t dims, shapes::last_size(a, "x"));
  const int64_t channels = size_product({dims, 2, a.params().integer("n_frequencies")});
  return Shapes{shapes::tensor(a.dtype("x"), Shape{a.shape("x")[0], {"C", channels, ""}})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const int64_t rows = b[x].dims[0], dims = b[x].dims[1], waves = 2 * a.params().integer("n_frequencies");
  std::vector<double> octaves, shifts;
  for (int k = 0; k < static_cast<int>(waves / 2); ++k) {
    octaves.insert(octaves.end(), 2, std::ldexp(1.0, k));
    shifts.insert(shifts.end(), {0, std::numbers::pi / 2});  // a cosine is a sine a quarter of a turn ahead
  }
  const Val each = b.reshape(b.cast(x, wide), {rows, dims, 1});
  const Val half_turns = b.mul(each, b.constant(Tensor::from_f64(wide, {waves}, octaves)));
  // Less whole turns. A cast to integers cuts off, and passes no gradient.
  const Val turns = b.cast(b.cast(b.scale(half_turns, 0.5), DType::i64), wide);
  const Val rest = b.sub(half_turns, b.scale(turns, 2));
  const Val angle = b.affine(rest, std::vector<double>(shifts.size(), std::numbers::pi), shifts);
  const std::string batch = b[x].axes.empty() ? "" : b[x].axes[0];
  return {b.cast(b.reshape(b.unary(UnaryFn::sin, angle), {rows, size_product({dims, waves})}, {batch, "C"}), dtype)};
}

static Examples examples() {
  const auto octaves = [](int64_t count) { return ParamMap{{"n_frequencies", count}}; };
  return {
      {.name = "space", .inputs = {{"x", DType::f32, {19, 3}, {"N", "C"}}}, .params = octaves(6)},
      {.name = "plane", .inputs = {{"x", DType::f32, {23, 2}, {"N", "C"}, 0, 1}}, .params = octaves(10)},
      {.name = "one", .inputs = {{"x", DType::f32, {31, 1}, {}, -5, 5}}, .params = octaves(1)},
      {.name = "finest",
       .inputs = {{"x", DType::f32, {17, 2}, {"N", "C"}}},
       .params = octaves(24),
       .no_gradient_because = "the finest sine turns round within a step of the central differences"},
  };
}

}  // namespace hw::nodes::frequency

HW_NODE(frequency)
