// Output types of the normalisations.
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

DType statistics_of(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

Status has_channels(const Args& a, const Value& x) {
  if (!info(x.dtype).is_float) return wrong_dtype(a, "It wants a float, got " + text(x) + ".");
  if (x.dims.size() < 2) return wrong_rank(a, "It wants [N, C, ..], got " + text(x) + ".");
  if (x.dims[1] < 1) return wrong_size(a, "There are no channels in " + text(x) + ".");
  return ok();
}

// `v` has these sizes and this dtype.
Status exact(const Args& a, const Value& v, DType dtype, const Dims& dims) {
  if (v.dtype != dtype) return wrong_dtype(a, "Expected " + std::string(name(dtype)) + ", got " + text(v) + ".");
  if (v.dims != dims) return wrong_size(a, "Expected " + to_string(dims) + ", got " + text(v) + ".");
  return ok();
}

Status positive_epsilon(const Args& a, double epsilon) {
  if (!(epsilon >= 0)) return wrong_attr(a, "Epsilon must be at least 0.");
  return ok();
}

Value sums(const Value& x, int64_t channels) {
  return made(statistics_of(x.dtype), {2, channels});
}

// x fits the groups; the inputs from `first` on are [channels].
Status grouped(const Args& a, const Value& x, size_t first) {
  const GroupNormAttr& attr = a.get<GroupNormAttr>();
  HW_CHECK(positive_epsilon(a, attr.epsilon));
  if (!info(x.dtype).is_float) return wrong_dtype(a, "It wants a float, got " + text(x) + ".");
  if (x.dims.empty()) return wrong_rank(a, "It wants at least one axis, got a scalar.");
  const int64_t rows = x.dims.size() == 1 ? 1 : x.dims[0], all = attr.channels * attr.inner;
  if (attr.group_size < 1 || attr.channels < 1 || attr.inner < 1 || all % attr.group_size != 0 ||
      attr.group_size % attr.inner != 0 || (rows > 0 && element_count(x.dims) / rows % all != 0))
    return wrong_attr(a, "Groups of " + std::to_string(attr.group_size) + " elements and " +
                             std::to_string(attr.channels) + " channels of " + std::to_string(attr.inner) +
                             " do not fit " + text(x) + ".");
  for (const Value& v : a.in.subspan(first)) HW_CHECK(exact(a, v, x.dtype, {attr.channels}));
  return ok();
}

}  // namespace

Types channel_moments(const Args& a) {
  HW_CHECK(has_channels(a, a.in[0]));
  return one(sums(a.in[0], a.in[0].dims[1]));
}

// (x, moments, scale, bias)
Types batch_norm(const Args& a) {
  const Value& x = a.in[0];
  HW_CHECK(has_channels(a, x));
  HW_CHECK(positive_epsilon(a, a.get<BatchNormAttr>().epsilon));
  HW_CHECK(exact(a, a.in[1], statistics_of(x.dtype), {2, x.dims[1]}));
  for (size_t k : {2, 3}) HW_CHECK(exact(a, a.in[k], x.dtype, {x.dims[1]}));
  return one(made(x.dtype, x.dims, x.axes));
}

// (g, x, moments)
Types batch_norm_grad_sums(const Args& a) {
  const Value& x = a.in[1];
  HW_CHECK(has_channels(a, x));
  (void)a.get<BatchNormAttr>();
  HW_CHECK(exact(a, a.in[0], x.dtype, x.dims));
  HW_CHECK(exact(a, a.in[2], statistics_of(x.dtype), {2, x.dims[1]}));
  return one(sums(x, x.dims[1]));
}

// (g, x, moments, scale, sums)
Types batch_norm_grad_input(const Args& a) {
  const Value& x = a.in[1];
  HW_CHECK(batch_norm_grad_sums({a.op, a.in.first(3), a.attr}));
  HW_CHECK(exact(a, a.in[3], x.dtype, {x.dims[1]}));
  HW_CHECK(exact(a, a.in[4], statistics_of(x.dtype), {2, x.dims[1]}));
  return one(made(x.dtype, x.dims, x.axes));
}

// (running mean, running variance, moments)
Types moments_update(const Args& a) {
  const Value& mean = a.in[0];
  const MomentsAttr& attr = a.get<MomentsAttr>();
  if (!(attr.rate >= 0 && attr.rate <= 1)) return wrong_attr(a, "The rate must lie in [0, 1].");
  if (mean.dims.size() != 1) return wrong_rank(a, "It wants [C], got " + text(mean) + ".");
  HW_CHECK(exact(a, a.in[1], mean.dtype, mean.dims));
  HW_CHECK(exact(a, a.in[2], mean.dtype, {2, mean.dims[0]}));
  return std::vector<Value>{};
}

// (x, scale, bias)
Types group_norm(const Args& a) {
  HW_CHECK(grouped(a, a.in[0], 1));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

// (g, x, scale)
Types group_norm_grad_input(const Args& a) {
  HW_CHECK(grouped(a, a.in[1], 2));
  HW_CHECK(exact(a, a.in[0], a.in[1].dtype, a.in[1].dims));
  return one(made(a.in[1].dtype, a.in[1].dims, a.in[1].axes));
}

// (g, x)
Types group_norm_grad_sums(const Args& a) {
  HW_CHECK(grouped(a, a.in[1], 2));
  HW_CHECK(exact(a, a.in[0], a.in[1].dtype, a.in[1].dims));
  return one(sums(a.in[1], a.get<GroupNormAttr>().channels));
}

}  // namespace hw::infer_rules
