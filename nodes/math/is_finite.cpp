// Is Finite: which elements are numbers, infinite, or not numbers.
#include <limits>

#include "engine/node/shapes.h"

namespace hw::nodes::is_finite {

static void declare(NodeDecl& d) {
  d.title("Is Finite")
      .category("Math")
      .summary("Which elements are finite, infinite or not a number; the answer is bool.");
  d.doc(
      "`finite`: neither infinite nor NaN. `inf`: infinite, of either sign; never of f8e4m3, which has no infinity. "
      "`nan`: "
      "NaN. Any shape, dtype bool. No gradient passes.");
  d.source("NumPy, `numpy.isfinite`, `numpy.isinf`, `numpy.isnan`; ONNX, IsInf, IsNaN; IEEE 754");
  d.keywords("isnan isinf isfinite nan inf infinity bad overflow check IsNaN IsInf");
  d.choice("what", "finite", {"finite", "inf", "nan"}).docs("What is asked of each element.");
  d.input("x").dtypes(running_floats());
  d.output("y").dtypes({DType::boolean});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return Shapes{shapes::tensor(DType::boolean, a.shape("x"))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const std::string& what = a.params().text("what");
  if (what == "nan") return {b.compare(CompareFn::not_equal, x, x)};
  // In a dtype that has an infinity.
  const Val size = b.unary(UnaryFn::abs, b.cast(x, b[x].dtype == DType::f64 ? DType::f64 : DType::f32));
  if (!b.status()) return {Val{}};
  const Val end = b.constant(Tensor::from_f64(b[size].dtype, {}, {{std::numeric_limits<double>::infinity()}}));
  return {b.compare(what == "inf" ? CompareFn::equal : CompareFn::less, size, end)};
}

static Examples examples() {
  const std::string why = "the result is bool";
  return {
      {.name = "finite", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}}}, .no_gradient_because = why},
      {.name = "inf",
       .inputs = {{"x", DType::f32, {12}, {}}},
       .params = {{"what", std::string("inf")}},
       .no_gradient_because = why},
      {.name = "nan",
       .inputs = {{"x", DType::f32, {12}, {}}},
       .params = {{"what", std::string("nan")}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::is_finite

HW_NODE(is_finite)
