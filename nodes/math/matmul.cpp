// MatMul: products of matrices, alone, by one matrix, or pair by pair.
#include <numeric>

#include "engine/node/shapes.h"

namespace hw::nodes::matmul {

static void declare(NodeDecl& d) {
  d.title("MatMul").category("Math").summary("Multiplies matrices, one pair or a batch of them.");
  d.doc(
      "`y = a · b` over the last two axes: [.., M, K] by [K, N] gives [.., M, N]; [B.., M, K] by [B.., K, N] "
      "multiplies "
      "pair by pair, where batch axes of size 1 or missing ones stretch. A vector [K] by [K, N] gives [N]. "
      "`transpose_a` takes `a` as [.., K, M], `transpose_b` takes `b` as [.., N, K]. Products accumulate in f32 (f64 "
      "for f64) and are rounded once to the dtype.");
  d.source("NumPy, `numpy.matmul`");
  d.keywords("matrix product multiply dot bmm batched gemm attention transform");
  d.autocast(Autocast::low);
  d.boolean("transpose_a", false).labelled("Transpose A");
  d.boolean("transpose_b", false).labelled("Transpose B");
  shapes::declare_compute(d);
  d.input("a").dtype_group("T", running_floats()).with_axes(".. M K");
  d.input("b").dtype_group("T", running_floats()).with_axes(".. K N");
  d.output("y").dtype_group("T").with_axes(".. M N");
}

// The leading axes of both, broadcast.
static Result<Shape> batch_of(const Shape& a, const Shape& b) {
  const auto leading = [](const Shape& s) {
    const auto& axes = s.axes();
    return Shape(std::vector<Axis>(axes.begin(), axes.size() > 2 ? axes.end() - 2 : axes.begin()));
  };
  auto batch = broadcast(leading(a), leading(b));
  if (batch) return batch;
  Error error = batch.error();
  error.where = "b";
  return error;
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape &x = a.shape("a"), &y = a.shape("b");
  const bool ta = a.params().boolean("transpose_a"), tb = a.params().boolean("transpose_b");
  if (x.rank() < (ta ? 2u : 1u) || (x.rank() == 1 && y.rank() > 2))
    return Error{codes::rank_mismatch, "a", "expects at least two axes [M, K], got " + to_string(x) + ".",
                 "Reshape it to a matrix."};
  if (y.rank() < 2)
    return Error{codes::rank_mismatch, "b", "expects at least two axes [K, N], got " + to_string(y) + ".",
                 "Reshape it to a matrix."};
  const Axis &inner = x[x.rank() - (ta ? 2 : 1)], &same = y[y.rank() - (tb ? 1 : 2)];
  if (inner.known() && same.known() && inner.size != same.size)
    return Error{codes::size_mismatch, "b",
                 "must have " + std::to_string(inner.size) + " on the axis that is summed: a is " + to_string(x) +
                     (ta ? " (transposed)" : "") + ", b is " + to_string(y) + (tb ? " (transposed)." : "."),
                 ""};
  HW_TRY(Shape shape, batch_of(x, y));
  if (x.rank() > 1) shape.push_back(x[x.rank() - (ta ? 1 : 2)]);
  shape.push_back(y[y.rank() - (tb ? 2 : 1)]);
  return Shapes{shapes::tensor(a.dtype("a"), shape)};
}

static Val swap_last(OpBuilder& b, Val x) {
  std::vector<int> order(b[x].dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return b.transpose(x, std::move(order));
}

// x with the leading axes `batch`.
static Val stretched(OpBuilder& b, Val x, Dims batch) {
  const Dims& dims = b[x].dims;
  batch.insert(batch.end(), dims.end() - 2, dims.end());
  return batch == dims ? x : b.broadcast_to(x, std::move(batch));
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  if (!b.status()) return {Val{}};
  const Val x = args.in("a"), y = args.in("b");
  const bool ta = args.params().boolean("transpose_a"), tb = args.params().boolean("transpose_b");
  const auto compute = shapes::compute_of(args.params());
  Val product;
  if (b[y].dims.size() == 2) {
    const bool matrices = b[x].dims.size() == 2;
    product = ta && matrices && !tb ? b.matmul_tn(x, y, b[x].dtype, compute)
                                    : b.matmul(ta ? swap_last(b, x) : x, y, tb, compute);
  } else {
    const auto leading = [&](Val v) { return Dims(b[v].dims.begin(), b[v].dims.end() - 2); };
    const auto batch = broadcast(leading(x), leading(y));
    if (!batch) {
      b.fail(batch.error());
      return {Val{}};
    }
    product = b.batch_matmul(stretched(b, x, *batch), stretched(b, y, *batch), ta, tb, compute);
  }
  // Which of the names of two tensors fit the product is known where its shape is: at the wire.
  b.set_axes(product, {});
  return {product};
}

static Examples examples() {
  const auto flags = [](bool a, bool b) { return ParamMap{{"transpose_a", a}, {"transpose_b", b}}; };
  return {
      {.name = "matrices",
       .inputs = {{"a", DType::f32, {13, 21}, {"N", "C"}}, {"b", DType::f32, {21, 5}, {}}},
       .tolerance_factor = 5},
      {.name = "by_one_matrix",
       .inputs = {{"a", DType::f32, {2, 4, 9}, {"batch", "seq", "hidden"}}, {"b", DType::f32, {6, 9}, {}}},
       .params = flags(false, true),
       .tolerance_factor = 3},
      {.name = "scores",
       .inputs = {{"a", DType::f32, {3, 2, 7, 8}, {"batch", "head", "seq", "hidden"}},
                  {"b", DType::f32, {3, 2, 5, 8}, {"batch", "head", "seq", "hidden"}}},
       .params = flags(false, true),
       .tolerance_factor = 3},
      {.name = "stretched",
       .inputs = {{"a", DType::f32, {6, 3}, {}}, {"b", DType::f32, {4, 6, 5}, {}}},
       .params = flags(true, false),
       .tolerance_factor = 3},
      {.name = "in_f16",
       .inputs = {{"a", DType::f32, {3, 9, 30}, {}}, {"b", DType::f32, {3, 30, 11}, {}}},
       .params = {{"compute", std::string("f16")}},
       .tolerance_factor = 6,
       .no_gradient_because = "factors are rounded: differences see steps"},
      {.name = "both_transposed",
       .inputs = {{"a", DType::f32, {4, 9, 3}, {}}, {"b", DType::f32, {4, 2, 9}, {}}},
       .params = flags(true, true),
       .tolerance_factor = 3},
      {.name = "tall",
       .inputs = {{"a", DType::f32, {50, 4}, {"N", "C"}}, {"b", DType::f32, {50, 3}, {"N", "C"}}},
       .params = flags(true, false),
       .tolerance_factor = 8},
      {.name = "transposed_batch_by_one",
       .inputs = {{"a", DType::f32, {2, 5, 3}, {}}, {"b", DType::f32, {5, 4}, {}}},
       .params = flags(true, false),
       .tolerance_factor = 3},
      {.name = "vector",
       .inputs = {{"a", DType::f32, {7}, {"C"}}, {"b", DType::f32, {7, 4}, {}}},
       .tolerance_factor = 3},
      {.name = "large",
       .inputs = {{"a", DType::f32, {2, 33, 65}, {}}, {"b", DType::f32, {2, 65, 40}, {}}},
       .tolerance_factor = 9},
  };
}

}  // namespace hw::nodes::matmul

HW_NODE(matmul)
