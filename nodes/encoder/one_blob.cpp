// One-blob Encoder: how much of a small kernel around a number falls into each of a row of bins.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::one_blob {

static void declare(NodeDecl& d) {
  d.title("One-blob Encoder").category("Encoder").summary("Encodes every number as a blob on a row of bins.");
  d.doc(
      "`x` [N, D] in [0, 1] to `features` [N, D · bins]: for each component, bin k covers k / bins to (k + 1) / bins "
      "and holds the share of a kernel around x that falls into it. The kernel is the quartic one of radius 1 / bins, "
      "a stand-in for the Gaussian: bin k is `c(k + 1 - bins · x) - c(k - bins · x)` with `c(u) = 15/16 (u - 2/3 u³ + "
      "u⁵/5)`, u clamped to ±1. At most three bins are not 0.\n\n"
      "With `wrap`, as in tiny-cuda-nn, x stands on a ring: what leaves at one end comes in at the other, the kernel "
      "shifted by ±1, and the bins sum to 1 for x in [-1, 2]. Without, it is lost at the ends.\n\n"
      "`features` has the dtype of `x`; computed in f32 (f64 for f64) and rounded once. The spacing of f16 numbers "
      "near 1 is 1/2048, of bf16 ones 1/256: with many bins, give positions in f32. The gradient is continuous.");
  d.source("Müller et al. 2019, Neural Importance Sampling; quartic kernel of tiny-cuda-nn, `OneBlob`");
  d.keywords("encoding oneblob one-hot soft bins histogram kernel quartic tcnn");
  d.integer("bins", 16).docs("Bins of each component.").range(4, 256);
  d.boolean("wrap", true).docs("0 and 1 are neighbours.");
  d.input("x").with_axes("N D").dtype_group("T", running_floats()).docs("In [0, 1]; see Normalise.");
  d.output("features").with_axes("N C").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "x", "N D"));
  HW_TRY(const int64_t dims, shapes::last_size(a, "x"));
  const int64_t channels = size_product({dims, a.params().integer("bins")});
  return Shapes{shapes::tensor(a.dtype("x"), Shape{a.shape("x")[0], {"C", channels, ""}})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const int64_t rows = b[x].dims[0], dims = b[x].dims[1], bins = a.params().integer("bins");
  const auto width = static_cast<double>(bins);
  const auto channels = static_cast<size_t>(bins);
  const auto linear = [&](Val v, double scale, double offset) {
    return b.affine(v, std::vector<double>(channels, scale), std::vector<double>(channels, offset));
  };
  // c(u), the kernel's integral from 0.
  const auto integral = [&](Val u) {
    const Val inside = b.clamp(u, -1, 1), square = b.mul(inside, inside);
    const Val even = b.mul(square, linear(square, 3.0 / 16, -10.0 / 16));
    return b.mul(inside, linear(even, 1, 15.0 / 16));
  };
  std::vector<double> edges;
  for (int64_t k = 0; k < bins; ++k) edges.push_back(static_cast<double>(k));
  const Val place = b.reshape(b.scale(b.cast(x, wide), width), {rows, dims, 1});
  Val left = b.sub(b.constant(Tensor::from_f64(wide, {bins}, edges)), place);  // in bins, from x to the left edge
  if (a.params().boolean("wrap")) {
    // Bins nearer the other way round the ring: floor(t) at t = middle / bins + 1/2, as t + 2 cut off, less 2.
    const Val cut = b.cast(b.cast(linear(left, 1 / width, 0.5 / width + 2.5), DType::i64), wide);
    left = b.sub(left, linear(cut, width, -2 * width));
  }
  const Val shares = b.sub(integral(linear(left, 1, 1)), integral(left));
  const std::string batch = b[x].axes.empty() ? "" : b[x].axes[0];
  return {b.cast(b.reshape(shares, {rows, size_product({dims, bins})}, {batch, "C"}), dtype)};
}

static Examples examples() {
  const auto with = [](int64_t bins, bool wrap) { return ParamMap{{"bins", bins}, {"wrap", wrap}}; };
  return {
      {.name = "space", .inputs = {{"x", DType::f32, {29, 3}, {"N", "C"}, 0, 1}}},
      {.name = "ends_lost", .inputs = {{"x", DType::f32, {37, 2}, {"N", "C"}, 0, 1}}, .params = with(7, false)},
      {.name = "smallest_ring", .inputs = {{"x", DType::f32, {61, 1}, {}, -0.5, 1.5}}, .params = with(4, true)},
      {.name = "many", .inputs = {{"x", DType::f32, {11, 2}, {"N", "C"}, 0, 1}}, .params = with(100, true)},
  };
}

}  // namespace hw::nodes::one_blob

HW_NODE(one_blob)
