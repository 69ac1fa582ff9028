// infer(), and the rules of the elementwise ops.
#include <cassert>
#include <cmath>

#include "engine/program/infer_rules.h"
#include "engine/program/op_spec.h"
#include "engine/program/product_bias.h"

namespace hw {
namespace infer_rules {

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

}  // namespace infer_rules

Result<std::vector<Value>> infer(Op op, std::span<const Value> in, const Attr& attr) {
  assert(fits_inputs(op, in.size()));
  return spec(op).infer({op, in, attr});
}

}  // namespace hw
