// Norms, products and logarithms of sums over axes: one node each, computed in f32 (f64) and rounded once.
#include <algorithm>

#include "engine/node/reduce_nodes.h"

namespace hw::nodes::norm_functions {

using Axes = std::vector<int>;

static Val wide(OpBuilder& b, Val x) {
  return b.cast(x, b[x].dtype == DType::f64 ? DType::f64 : DType::f32);
}

static Val number(OpBuilder& b, DType dtype, double value) {
  return b.constant(Tensor::from_f64(dtype, {}, {{value}}));
}

// `kept`, whose reduced axes have size 1, without them.
static Val dropped(OpBuilder& b, Val kept, const Axes& axes, bool keep) {
  if (keep || !b.status()) return kept;
  Dims dims;
  std::vector<std::string> names;
  for (size_t d = 0; d < b[kept].dims.size(); ++d) {
    if (axes.empty() || std::ranges::find(axes, static_cast<int>(d)) != axes.end()) continue;
    dims.push_back(b[kept].dims[d]);
    if (!b[kept].axes.empty()) names.push_back(b[kept].axes[d]);
  }
  return b.reshape(kept, dims, names);
}

static Val l1(OpBuilder& b, Val x, const Axes& axes, bool keep) {
  const Val y = over_batch(b, x, axes, b.sum(b.unary(UnaryFn::abs, wide(b, x)), axes, keep));
  return b.status() ? b.cast(y, b[x].dtype) : y;
}

static Val sum_square(OpBuilder& b, Val x, const Axes& axes, bool keep) {
  const Val v = wide(b, x), y = over_batch(b, x, axes, b.sum(b.mul(v, v), axes, keep));
  return b.status() ? b.cast(y, b[x].dtype) : y;
}

// Zeros are taken out before the root, whose slope there is infinite.
static Val l2(OpBuilder& b, Val x, const Axes& axes, bool keep) {
  const Val v = wide(b, x), squares = over_batch(b, x, axes, b.sum(b.mul(v, v), axes, keep));
  if (!b.status()) return {};
  const DType dtype = b[v].dtype;
  const Val is_zero = b.compare(CompareFn::equal, squares, number(b, dtype, 0));
  const Val root = b.unary(UnaryFn::sqrt, b.where(is_zero, number(b, dtype, 1), squares));
  return b.cast(b.where(is_zero, number(b, dtype, 0), root), b[x].dtype);
}

// The largest is taken off first, so that nothing overflows; bounded, so that Inf - Inf does not come up.
static Val log_sum_exp(OpBuilder& b, Val x, const Axes& axes, bool keep) {
  const Val v = wide(b, x);
  if (!b.status()) return {};
  const double bound = info(b[v].dtype).max;
  const Val most = b.stop_gradient(b.clamp(b.reduce(ReduceFn::max, v, axes, true), -bound, bound));
  const Val sum = b.sum(b.unary(UnaryFn::exp, b.sub(v, most)), axes, true);
  const Val y = dropped(b, b.add(b.unary(UnaryFn::log, sum), most), axes, keep);
  return b.status() ? b.cast(y, b[x].dtype) : y;
}

// Halves multiplied by one another until one element is left: right where elements are 0, and so are the gradients.
static Val product(OpBuilder& b, Val x, const Axes& axes, bool keep) {
  if (!b.status()) return {};
  const Dims dims = b[x].dims;
  std::vector<int> order, reduced = axes;
  Dims kept_dims = dims;
  for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
    if (axes.empty()) reduced.push_back(d);
    if (std::ranges::find(reduced, d) == reduced.end()) order.push_back(d);
  }
  int64_t outer = 1, count = 1;
  for (const int d : order) outer *= dims[static_cast<size_t>(d)];
  for (const int d : reduced) {
    order.push_back(d);
    count *= dims[static_cast<size_t>(d)];
    kept_dims[static_cast<size_t>(d)] = 1;
  }
  Val y = b.reshape(b.transpose(wide(b, x), order), {outer, count});
  if (!b.status()) return {};
  if (count == 0) y = b.broadcast_to(number(b, b[y].dtype, 1), {outer, 1});
  while (count > 1) {
    const int64_t half = (count + 1) / 2;
    Val rest = b.slice(y, 1, half, count);
    if (count - half < half) rest = b.pad(rest, 1, 0, 1, 1);
    y = b.mul(b.slice(y, 1, 0, half), rest);
    count = half;
  }
  y = b.reshape(y, kept_dims, b[x].axes);
  y = dropped(b, y, axes, keep);
  return b.status() ? b.cast(y, b[x].dtype) : y;
}

static constexpr std::array kRows{
    ReduceRow{.lowered = product,
              .id = "reduce_prod",
              .title = "Product over Axes",
              .summary = "The product of all elements, or along axes.",
              .doc = "`y = Π x`, 1 of no elements. The gradient is right where elements are 0.",
              .source = "NumPy, `numpy.prod`; PyTorch, `torch.prod`; ONNX, ReduceProd",
              .keywords = "prod multiply times reduce ReduceProd",
              .lo = 0.5,
              .autocast = Autocast::f32},
    ReduceRow{.lowered = l1,
              .id = "reduce_l1",
              .title = "L1 Norm",
              .summary = "The sum of the magnitudes of all elements, or along axes.",
              .doc = "`y = Σ |x|`.",
              .source = "NumPy, `numpy.linalg.norm` with ord 1; ONNX, ReduceL1",
              .keywords = "absolute sum manhattan lasso norm reduce ReduceL1",
              .autocast = Autocast::f32},
    ReduceRow{.lowered = l2,
              .id = "reduce_l2",
              .title = "L2 Norm",
              .summary = "The Euclidean norm of all elements, or along axes.",
              .doc = "`y = √Σ x²`. Where all elements are 0 the gradient is 0.",
              .source = "NumPy, `numpy.linalg.norm`; PyTorch, `torch.linalg.vector_norm`; ONNX, ReduceL2",
              .keywords = "euclidean length magnitude frobenius norm reduce ReduceL2",
              .autocast = Autocast::f32},
    ReduceRow{.lowered = sum_square,
              .id = "reduce_sum_square",
              .title = "Sum of Squares",
              .summary = "The sum of the squares of all elements, or along axes.",
              .doc = "`y = Σ x²`.",
              .source = "NumPy, `numpy.sum` of `numpy.square`; ONNX, ReduceSumSquare",
              .keywords = "squared energy power norm reduce ReduceSumSquare",
              .autocast = Autocast::f32},
    ReduceRow{
        .lowered = log_sum_exp,
        .id = "log_sum_exp",
        .title = "Log Sum Exp",
        .summary = "A smooth maximum: the logarithm of the sum of exponentials.",
        .doc =
            "`y = ln Σ exp(x)`, computed as `m + ln Σ exp(x - m)`, m the largest of x, so that nothing overflows. The "
            "gradient is the softmax of `x`.",
        .source = "SciPy, `scipy.special.logsumexp`; PyTorch, `torch.logsumexp`; ONNX, ReduceLogSumExp",
        .keywords = "logsumexp smooth maximum softmax partition reduce ReduceLogSumExp",
        .autocast = Autocast::f32},
};

static const bool registered = ReduceNodes<kRows>::register_all();

}  // namespace hw::nodes::norm_functions
