// What updates states: optimisers, loss scaling, sums and averages.
#include "engine/program/updates.h"

#include <algorithm>
#include <cmath>

#include "engine/core/sizes.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {

Types gradient_norm(const Args& a) {
  const NormAttr* attr = std::get_if<NormAttr>(&a.attr);
  assert(attr ? attr->factors.empty() || attr->factors.size() == a.in.size()
              : std::holds_alternative<std::monostate>(a.attr));
  (void)attr;
  bool wide = !a.in.empty();
  for (const Value& v : a.in) {
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
    wide = wide && v.dtype == DType::f64;
  }
  return one(made(wide ? DType::f64 : DType::f32, {}));
}

// See LossScaleAttr.
Status loss_scale_state(const Args& a, const Value& state) {
  if (state.dtype == DType::f64 && state.dims.size() == 1 && state.dims[0] >= 3) return ok();
  return wrong_rank(a, "The loss scale's state is f64 [3 + n], got " + text(state) + ".");
}

// (view, master, moments…, updates?, count?, grad, touched?, norm?, state?): equal sizes but for the optional ones.
Types update(const Args& a) {
  const UpdateAttr& attr = a.get<UpdateAttr>();
  const UpdateInputs in = update_inputs(a.op, attr, a.in.size());
  assert(a.in.size() == in.loss_scale + (attr.guarded ? 1 : 0));
  const Dims& dims = a.in[0].dims;
  for (size_t k = 0; k <= in.grad; ++k) {
    const Value& v = a.in[k];
    if (in.counted && k == in.count()) {
      if (v.dtype != DType::f64) return wrong_dtype(a, "The count must be f64, got " + text(v) + ".");
      HW_CHECK(exact_dims(a, v, {1}));
      continue;
    }
    if (in.per_element && k == in.updates()) {
      if (v.dtype != DType::u8) return wrong_dtype(a, "The counts of updates must be u8, got " + text(v) + ".");
      HW_CHECK(exact_dims(a, v, {size_product({2, element_count(dims)})}));
      continue;
    }
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
    HW_CHECK(exact_dims(a, v, dims));
  }
  if (attr.has_touched) {
    const Value& touched = a.in[in.touched()];
    if (touched.dtype != DType::u8) return wrong_dtype(a, "The touched mask must be u8, got " + text(touched) + ".");
    HW_CHECK(exact_dims(a, touched, {(element_count(dims) + 15) / 16}));
  }
  if (attr.clip_norm > 0) HW_CHECK(exact_dims(a, a.in[in.norm], {}));
  if (attr.guarded) HW_CHECK(loss_scale_state(a, a.in[in.loss_scale]));
  return std::vector<Value>{};
}

// (state, gradients…): f64 [3 + n], n gradients or more.
Types check_finite(const Args& a) {
  if (a.in.empty()) return wrong_rank(a, "It wants the loss scale's state and gradients.");
  HW_CHECK(loss_scale_state(a, a.in[0]));
  for (const Value& v : a.in)
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
  const auto least = static_cast<int64_t>(a.in.size()) + 2;
  if (a.in[0].dims[0] < least)
    return wrong_size(a,
                      "The state " + text(a.in[0]) + " counts fewer than " + std::to_string(least - 3) + " gradients.");
  return std::vector<Value>{};
}

Types loss_scale_update(const Args& a) {
  const LossScaleAttr& attr = a.get<LossScaleAttr>();
  if (!(attr.growth >= 1 && std::isfinite(attr.growth) && attr.backoff > 0 && attr.backoff <= 1 && attr.interval > 0))
    return wrong_attr(a, "The scale must grow by 1 or more, fall by (0, 1], after one step or more.");
  HW_CHECK(loss_scale_state(a, a.in[0]));
  return std::vector<Value>{};
}

// (sum, x): equal sizes; u8 beside u8, else floats.
Types accumulate(const Args& a) {
  const Value &sum = a.in[0], &x = a.in[1];
  const bool mask = sum.dtype == DType::u8 && x.dtype == DType::u8;
  const bool wide = sum.dtype == DType::f32 || sum.dtype == DType::f64;
  if (!mask && !(wide && info(x.dtype).is_float))
    return wrong_dtype(a, "It sums floats in f32 or f64, or u8 masks, got " + text(sum) + " and " + text(x) + ".");
  HW_CHECK(exact_dims(a, x, sum.dims));
  return std::vector<Value>{};
}

// (average, x, loss scale's state?): equal sizes.
Types average_update(const Args& a) {
  const double decay = a.get<ScaleAttr>().factor;
  if (!(decay >= 0 && decay < 1)) return wrong_attr(a, "The decay must lie in [0, 1).");
  assert(a.in.size() == 2 || a.in.size() == 3);
  if (a.in.size() == 3) HW_CHECK(loss_scale_state(a, a.in[2]));
  for (const Value& v : a.in)
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
  HW_CHECK(exact_dims(a, a.in[1], a.in[0].dims));
  return std::vector<Value>{};
}

}  // namespace hw::infer_rules
