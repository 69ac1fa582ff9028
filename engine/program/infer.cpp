// infer(): the table from ops to rules, and the rules of the elementwise ops.
#include <cassert>
#include <cmath>

#include "engine/program/infer_rules.h"
#include "engine/program/product_bias.h"

namespace hw {
namespace infer_rules {
namespace {

Types cast(const Args& a) {
  const CastAttr& attr = a.get<CastAttr>();
  const DType to = attr.dtype;
  if (attr.stochastic && !(info(to).is_float && info(a.in[0].dtype).is_float))
    return wrong_dtype(a, "It rounds stochastically between floats, got " + std::string(name(a.in[0].dtype)) + " to " +
                              std::string(name(to)) + ".");
  if (!info(to).storable) return wrong_dtype(a, std::string(name(to)) + " is a compute mode, never stored.");
  return one(made(to, a.in[0].dims, a.in[0].axes));
}

Types broadcasting(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  auto dims = broadcast(a.in[0].dims, a.in[1].dims);
  if (!dims) {
    Error e = dims.error();
    e.where = a.name();
    return e;
  }
  const Value& named = a.in[0].axes.size() == dims->size() ? a.in[0] : a.in[1];
  return one(made(a.in[0].dtype, *dims, named.axes));
}

Types unary(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types affine(const Args& a) {
  const AffineAttr& attr = a.get<AffineAttr>();
  assert(attr.scale.size() == attr.offset.size());
  if (a.in[0].dims.empty()) return wrong_rank(a, "It wants at least one axis, got a scalar.");
  if (a.in[0].dims.back() != static_cast<int64_t>(attr.scale.size()))
    return wrong_size(a, "The last axis of " + text(a.in[0]) + " must have " + std::to_string(attr.scale.size()) +
                             " channels, one for each factor.");
  return unary(a);
}

Types clamp(const Args& a) {
  const ClampAttr& attr = a.get<ClampAttr>();
  if (!(attr.lo <= attr.hi)) return wrong_attr(a, "The lower bound lies above the upper one.");
  return unary(a);
}

Types scale(const Args& a) {
  (void)a.get<ScaleAttr>();
  return unary(a);
}

Types gradient_scale(const Args& a) {
  const GradientScaleAttr& attr = a.get<GradientScaleAttr>();
  if (!std::isfinite(attr.factor) || (attr.unscale && attr.factor == 0))
    return wrong_attr(a, "The factor must be finite, and not 0 where it is divided out again.");
  return unary(a);
}

Types dropout(const Args& a) {
  const double p = a.get<DropoutAttr>().p;
  if (!(p >= 0 && p <= 1)) return wrong_attr(a, "The share dropped must lie in [0, 1].");
  return unary(a);
}

// (g, x or y): the gradient of a pointwise op.
Types pointwise_gradient(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  if (a.in[0].dims != a.in[1].dims) return wrong_size(a, text(a.in[0]) + " and " + text(a.in[1]) + " differ.");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types clamp_grad(const Args& a) {
  (void)a.get<ClampAttr>();
  return pointwise_gradient(a);
}

Types (*rule(Op op))(const Args&) {
  switch (op) {
    case Op::cast:
      return cast;
    case Op::add:
    case Op::sub:
    case Op::mul:
      return broadcasting;
    case Op::scale:
      return scale;
    case Op::affine:
      return affine;
    case Op::clamp:
      return clamp;
    case Op::clamp_grad:
      return clamp_grad;
    case Op::relu:
    case Op::sigmoid:
      return unary;
    case Op::relu_grad:
    case Op::sigmoid_grad:
      return pointwise_gradient;
    case Op::gradient_scale:
      return gradient_scale;
    case Op::unary:
    case Op::unary_grad:
      return unary_function;
    case Op::binary:
      return binary_function;
    case Op::binary_grad:
      return binary_grad;
    case Op::compare:
      return compare;
    case Op::where:
      return where;
    case Op::stop_gradient:
      return unary;
    case Op::dropout:
      return dropout;
    case Op::matmul:
      return matmul;
    case Op::matmul_tn:
      return matmul_tn;
    case Op::batch_matmul:
      return batch_matmul;
    case Op::sum_to:
      return sum_to;
    case Op::reduce:
      return reduce;
    case Op::softmax:
    case Op::softmax_grad:
      return softmax;
    case Op::argmax:
      return argmax;
    case Op::gather_elements:
      return gather_elements;
    case Op::gather_elements_grad:
      return gather_elements_grad;
    case Op::broadcast_to:
      return broadcast_to;
    case Op::reshape:
      return reshape;
    case Op::concat:
      return concat;
    case Op::slice:
      return slice;
    case Op::pad:
      return pad;
    case Op::transpose:
      return transpose;
    case Op::hash_grid:
      return hash_grid;
    case Op::hash_grid_grad_table:
      return hash_grid_grad_table;
    case Op::hash_grid_grad_input:
      return hash_grid_grad_input;
    case Op::gather:
      return gather;
    case Op::gather_grad:
      return gather_grad;
    case Op::triplane:
      return triplane;
    case Op::triplane_grad_planes:
      return triplane_grad_planes;
    case Op::triplane_grad_input:
      return triplane_grad_input;
    case Op::conv2d:
      return conv2d;
    case Op::conv2d_grad_input:
      return conv2d_grad_input;
    case Op::conv2d_grad_weight:
      return conv2d_grad_weight;
    case Op::max_pool:
    case Op::avg_pool:
      return pool;
    case Op::max_pool_grad:
    case Op::avg_pool_grad:
      return pool_grad;
    case Op::resize:
      return resize;
    case Op::resize_grad:
      return resize_grad;
    case Op::channel_moments:
      return channel_moments;
    case Op::batch_norm:
      return batch_norm;
    case Op::batch_norm_grad_sums:
      return batch_norm_grad_sums;
    case Op::batch_norm_grad_input:
      return batch_norm_grad_input;
    case Op::moments_update:
      return moments_update;
    case Op::group_norm:
      return group_norm;
    case Op::group_norm_grad_input:
      return group_norm_grad_input;
    case Op::group_norm_grad_sums:
      return group_norm_grad_sums;
    case Op::sample_surface:
      return sample_surface;
    case Op::sample_image:
      return sample_image;
    case Op::sample_rows:
      return sample_rows;
    case Op::random:
      return random;
    case Op::gradient_norm:
      return gradient_norm;
    case Op::sgd_update:
    case Op::adam_update:
      return update;
    case Op::check_finite:
      return check_finite;
    case Op::loss_scale_update:
      return loss_scale_update;
    case Op::accumulate:
      return accumulate;
    case Op::average_update:
      return average_update;
  }
  assert(!"no such op");
  return nullptr;
}

}  // namespace
}  // namespace infer_rules

Result<std::vector<Value>> infer(Op op, std::span<const Value> in, const Attr& attr) {
  assert(fits_inputs(op, in.size()));
  return infer_rules::rule(op)({op, in, attr});
}

}  // namespace hw
