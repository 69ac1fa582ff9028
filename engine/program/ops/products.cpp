// Matrix products.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"
#include "engine/program/product_bias.h"

namespace hw::infer_rules {

Types matmul(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  HW_CHECK(compute_in(a, a.get<MatmulAttr>().compute));
  const Value &x = a.in[0], &w = a.in[1];
  const bool transposed = a.get<MatmulAttr>().transpose_b;
  if (x.dims.empty() || w.dims.size() != 2)
    return wrong_rank(a, "It multiplies [.., K] by a matrix, got " + text(x) + " and " + text(w) + ".");
  const int64_t inner = w.dims[transposed ? 1 : 0], outer = w.dims[transposed ? 0 : 1];
  if (x.dims.back() != inner)
    return wrong_size(a, "The last axis of " + text(x) + " must have " + std::to_string(inner) + " as the weight " +
                             text(w) + (transposed ? " (transposed)" : "") + " has.");
  if (a.in.size() > 2 && a.in[2].dims != Dims{outer})
    return wrong_size(a, "The bias must be " + to_string(Dims{outer}) + ", got " + text(a.in[2]) + ".");
  Dims dims = x.dims;
  dims.back() = outer;
  return one(made(x.dtype, std::move(dims), x.axes));
}

Types matmul_tn(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const DType to = a.get<MatmulAttr>().dtype;
  HW_CHECK(float_output(a, to));
  HW_CHECK(compute_in(a, a.get<MatmulAttr>().compute));
  const Value &x = a.in[0], &y = a.in[1];
  if (x.dims.empty() || x.dims.size() != y.dims.size())
    return wrong_rank(a, "It wants two tensors of one rank, got " + text(x) + " and " + text(y) + ".");
  if (!std::equal(x.dims.begin(), x.dims.end() - 1, y.dims.begin()))
    return wrong_size(a, "The leading axes of " + text(x) + " and " + text(y) + " differ.");
  return one(made(to, {x.dims.back(), y.dims.back()}));
}

Types batch_matmul(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const MatmulAttr& attr = a.get<MatmulAttr>();
  HW_CHECK(compute_in(a, attr.compute));
  const Value &x = a.in[0], &y = a.in[1];
  const size_t rank = x.dims.size();
  if (rank < 3 || rank != y.dims.size())
    return wrong_rank(a, "It multiplies [B.., N, K] by [B.., K, M], got " + text(x) + " and " + text(y) + ".");
  if (!std::equal(x.dims.begin(), x.dims.end() - 2, y.dims.begin()))
    return wrong_size(a, "The batch axes of " + text(x) + " and " + text(y) + " differ.");
  if (x.dims[rank - (attr.transpose_a ? 2 : 1)] != y.dims[rank - (attr.transpose_b ? 1 : 2)])
    return wrong_size(a, "The summed axes of " + text(x) + (attr.transpose_a ? " (transposed)" : "") + " and " +
                             text(y) + (attr.transpose_b ? " (transposed)" : "") + " differ.");
  Value out = made(x.dtype, x.dims, x.axes);
  out.dims[rank - 2] = x.dims[rank - (attr.transpose_a ? 1 : 2)];
  out.dims[rank - 1] = y.dims[rank - (attr.transpose_b ? 2 : 1)];
  return one(std::move(out));
}

}  // namespace hw::infer_rules

namespace hw::adjoint_rules {

void matmul(AdjointContext& c) {
  const MatmulAttr& attr = c.attr<MatmulAttr>();
  if (c.wants(0)) c.give(0, c.b.matmul(c.g, c.in(1), !attr.transpose_b, attr.compute));
  if (c.i.in.size() > 2 && c.wants(2)) c.give(2, c.g);
  if (!c.wants(1)) return;
  c.give(1, attr.transpose_b ? c.b.matmul_tn(c.g, c.in(0), c.dtype(1), attr.compute)
                             : c.b.matmul_tn(c.in(0), c.g, c.dtype(1), attr.compute));
}

// out = A · B, where A and B are the inputs, each transposed where its flag says so.
void batch_matmul(AdjointContext& c) {
  const bool tb = c.attr<MatmulAttr>().transpose_b, ta = c.attr<MatmulAttr>().transpose_a;
  const auto product = [&](Val a, Val b, bool transpose_a, bool transpose_b) {
    return c.b.batch_matmul(a, b, transpose_a, transpose_b, c.attr<MatmulAttr>().compute);
  };
  if (c.wants(0)) c.give(0, ta ? product(c.in(1), c.g, tb, true) : product(c.g, c.in(1), false, !tb));
  if (c.wants(1)) c.give(1, tb ? product(c.g, c.in(0), true, ta) : product(c.in(0), c.g, !ta, false));
}

// out = aᵀ b: da = b · outᵀ, db = a · out.
void matmul_tn(AdjointContext& c) {
  if (!c.b.status()) return;
  const Val g = c.b.cast(c.g, c.b[c.in(0)].dtype);
  const std::optional<DType> compute = c.attr<MatmulAttr>().compute;
  if (c.wants(0)) c.give(0, c.b.matmul(c.in(1), g, true, compute));
  if (c.wants(1)) c.give(1, c.b.matmul(c.in(0), g, false, compute));
}

}  // namespace hw::adjoint_rules
