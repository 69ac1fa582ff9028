// Spherical Harmonics: real ones of a direction, as polynomials of its components.
#include <cmath>
#include <numbers>
#include <string_view>

#include "engine/node/shapes.h"

namespace hw::nodes::spherical_harmonics {

// sign · √(numerator / π) / divisor times a polynomial: terms "xxy" with a whole factor.
struct Term {
  double factor;
  std::string_view monomial;
};
struct Harmonic {
  double sign, numerator, divisor;
  Term terms[3];
};

// l from 0 to 3, m from -l to l within each.
static constexpr Harmonic kHarmonics[] = {
    {1, 1, 2, {{1, ""}}},
    {-1, 3, 2, {{1, "y"}}},
    {1, 3, 2, {{1, "z"}}},
    {-1, 3, 2, {{1, "x"}}},
    {1, 15, 2, {{1, "xy"}}},
    {-1, 15, 2, {{1, "yz"}}},
    {1, 5, 4, {{3, "zz"}, {-1, ""}}},
    {-1, 15, 2, {{1, "xz"}}},
    {1, 15, 4, {{1, "xx"}, {-1, "yy"}}},
    {-1, 70, 8, {{3, "xxy"}, {-1, "yyy"}}},
    {1, 105, 2, {{1, "xyz"}}},
    {-1, 42, 8, {{5, "yzz"}, {-1, "y"}}},
    {1, 7, 4, {{5, "zzz"}, {-3, "z"}}},
    {-1, 42, 8, {{5, "xzz"}, {-1, "x"}}},
    {1, 105, 4, {{1, "xxz"}, {-1, "yyz"}}},
    {-1, 70, 8, {{1, "xxx"}, {-3, "xyy"}}},
};

// Where a monomial stands among the products of `factors` of (1, x, y, z).
static size_t index_of(std::string_view monomial, size_t factors) {
  size_t index = 0;
  for (size_t i = 0; i < factors; ++i)
    index = index * 4 + (i < monomial.size() ? static_cast<size_t>(monomial[i] - 'x') + 1 : 0);
  return index;
}

static void declare(NodeDecl& d) {
  d.title("Spherical Harmonics").category("Encoder").summary("Encodes directions as real spherical harmonics.");
  d.doc(
      "`x` [N, 3] to `features` [N, degree²]: for l from 0 to degree - 1, for m from -l to l, "
      "`Y_lm = √((2l + 1) / 4π · (l - |m|)! / (l + |m|)!) P_l^|m|(z)`, times `√2 cos(m φ)` for m > 0, "
      "`√2 sin(|m| φ)` for m < 0; φ is the angle from x to y, and P has the phase (-1)^m of Condon and Shortley. The "
      "first are `√(1/π) / 2`, `-√(3/π) / 2 · y`, `√(3/π) / 2 · z`, `-√(3/π) / 2 · x`. Over the sphere they are "
      "orthonormal.\n\n"
      "A component of `x` in [0, 1] stands for `2 x - 1` in [-1, 1], as in tiny-cuda-nn; with `signed` it is taken as "
      "it is, such as a normal. Evaluated as polynomials of x, y, z: nothing is normalised, off the unit sphere they "
      "go on.\n\n"
      "`features` has the dtype of `x`; computed in f32 (f64 for f64) and rounded once. Degree 1 is a constant, and "
      "gives no gradient.");
  d.source("Sloan 2008, Stupid Spherical Harmonics Tricks; signs and order of tiny-cuda-nn, `SphericalHarmonics`");
  d.keywords("encoding direction view normal sh lighting environment laplace tcnn");
  d.integer("degree", 4).docs("Bands: l below it.").range(1, 4);
  d.boolean("signed", false).docs("Components lie in [-1, 1] already.");
  d.input("x").labelled("Direction").with_axes("N D").dtype_group("T", running_floats());
  d.output("features").with_axes("N C").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "x", "N D"));
  HW_TRY(const int64_t dims, shapes::last_size(a, "x"));
  if (dims != 3)
    return Error{codes::size_mismatch, "x",
                 "axis D must have size 3: directions in space; got " + to_string(a.shape("x")) + ".",
                 "Slice the components of the direction."};
  const int64_t degree = a.params().integer("degree");
  return Shapes{shapes::tensor(a.dtype("x"), Shape{a.shape("x")[0], {"C", degree * degree, ""}})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const int64_t rows = b[x].dims[0], degree = a.params().integer("degree");
  Val direction = b.cast(x, wide);
  if (!a.params().boolean("signed"))
    direction = b.affine(direction, std::vector<double>(3, 2.0), std::vector<double>(3, -1.0));
  const Val one_and_direction = b.pad(direction, 1, 1, 0, 1);  // (1, x, y, z)
  Val products = b.slice(one_and_direction, 1, 0, 1);
  int64_t count = 1;
  for (int64_t factor = 1; factor < degree; ++factor, count *= 4)
    products = b.reshape(b.mul(b.reshape(products, {rows, count, 1}), b.reshape(one_and_direction, {rows, 1, 4})),
                         {rows, count * 4});
  const auto channels = static_cast<size_t>(degree * degree);
  std::vector<double> table(static_cast<size_t>(count) * channels, 0.0);
  for (size_t c = 0; c < channels; ++c) {
    const Harmonic& h = kHarmonics[c];
    const double scale = h.sign * std::sqrt(h.numerator / std::numbers::pi) / h.divisor;
    for (const Term& term : h.terms)
      table[index_of(term.monomial, static_cast<size_t>(degree - 1)) * channels + c] += scale * term.factor;
  }
  const Val features = b.matmul(products, b.constant(Tensor::from_f64(wide, {count, degree * degree}, table)));
  b.set_axes(features, {b[x].axes.empty() ? "" : b[x].axes[0], "C"});
  return {b.cast(features, dtype)};
}

static Examples examples() {
  const auto with = [](int64_t degree, bool is_signed) { return ParamMap{{"degree", degree}, {"signed", is_signed}}; };
  // Sums of two products.
  return {
      {.name = "default", .inputs = {{"x", DType::f32, {37, 3}, {"N", "C"}, 0, 1}}, .tolerance_factor = 1.5},
      {.name = "normals",
       .inputs = {{"x", DType::f32, {29, 3}, {"N", "C"}}},
       .params = with(4, true),
       .tolerance_factor = 1.5},
      {.name = "degree_3",
       .inputs = {{"x", DType::f32, {23, 3}, {"N", "C"}, 0, 1}},
       .params = with(3, false),
       .tolerance_factor = 1.5},
      {.name = "degree_2", .inputs = {{"x", DType::f32, {19, 3}, {}}}, .params = with(2, true)},
      {.name = "degree_1",
       .inputs = {{"x", DType::f32, {17, 3}, {"N", "C"}, 0, 1}},
       .params = with(1, false),
       .no_gradient_because = "the harmonic of degree 1 is a constant"},
  };
}

}  // namespace hw::nodes::spherical_harmonics

HW_NODE(spherical_harmonics)
