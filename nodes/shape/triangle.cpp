// Triangle: one side of a matrix, the other filled.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::triangle {

static void declare(NodeDecl& d) {
  d.title("Triangle").category("Shape").summary("Keeps one side of the diagonal of matrices and fills the other.");
  d.doc(
      "Of the matrices in the last two axes, element (i, j) is kept where `j ≤ i + diagonal` (`lower`) or "
      "`j ≥ i + diagonal` (`upper`), and is `value` elsewhere. No gradient reaches what was replaced. Attention hides "
      "what follows by itself (`causal`).");
  d.source("NumPy, `numpy.tril`, `numpy.triu`; ONNX, Trilu");
  d.keywords("tril triu lower upper triangular matrix mask causal diagonal Trilu");
  d.choice("keep", "lower", {"lower", "upper"}).docs("Which side stays.");
  d.integer("diagonal", 0).docs("0: the main diagonal; 1 the one above it.").range(-65536, 65536);
  d.real("value", 0).docs("What stands on the other side.").range(-65504, 65504);
  d.input("x").dtype_group("T", running_floats()).with_axes(".. rows columns");
  d.output("y").dtype_group("T").with_axes(".. rows columns");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& x = a.shape("x");
  if (x.rank() < 2 || !x[x.rank() - 1].known() || !x[x.rank() - 2].known())
    return Error{codes::rank_mismatch, "x", "needs two last axes of known sizes, got " + to_string(x) + ".",
                 "Reshape to the expected axes."};
  HW_CHECK(check_size(DType::f64, {x[x.rank() - 2].size}));
  HW_CHECK(check_size(DType::f64, {x[x.rank() - 1].size}));
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const bool lower = a.params().text("keep") == "lower";
  const auto number = [&](DType dtype, double value) { return b.constant(Tensor::from_f64(dtype, {}, {{value}})); };
  const Val rows = index_ops::counted(b, DType::f64, dims[dims.size() - 2], 2, 0);
  const Val columns = index_ops::counted(b, DType::f64, dims.back(), 2, 1);
  const Val bound = b.add(rows, number(DType::f64, static_cast<double>(a.params().integer("diagonal"))));
  const Val kept = b.compare(lower ? CompareFn::less_equal : CompareFn::greater_equal, columns, bound);
  return {b.where(kept, x, number(b[x].dtype, a.params().real("value")))};
}

static Examples examples() {
  return {
      {.name = "lower", .inputs = {{"x", DType::f32, {4, 5}, {}}}},
      {.name = "upper",
       .inputs = {{"x", DType::f32, {2, 3, 3}, {}}},
       .params = {{"keep", std::string("upper")}, {"diagonal", int64_t{1}}, {"value", -2.0}}},
  };
}

}  // namespace hw::nodes::triangle

HW_NODE(triangle)
