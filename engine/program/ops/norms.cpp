// Batch norm and group norm.
#include <algorithm>

#include "engine/program/adjoint.h"
#include "engine/program/adjoint_rules.h"
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

// Second derivatives of the normalisations: each gradient once more as a formula of simple ops, through which the
// adjoint goes. Where statistics are those of x, the formula computes them, so that the derivative goes through them.
namespace hw::adjoint_rules {
namespace {

// Σ g · x̂ and Σ g are the gradients of scale and bias: rows 0 and 1 of [2, C].
void give_row(AdjointContext& c, size_t k, Val sums, int64_t row) {
  if (!c.wants(k) || !c.b.status()) return;
  c.give(k, c.b.reshape(c.b.slice(sums, 0, row, row + 1), c.dims(k)));
}

/// The formula's inputs, in f32 at least.
using Wide = std::vector<Val>;

/// Gives the first inputs their gradients, `formula` being the op as a function of those inputs.
template <class Formula>
void through(AdjointContext& c, size_t inputs, Formula formula) {
  OpBuilder& b = c.b;
  if (!b.status()) return;
  Wide in;
  for (size_t k = 0; k < inputs; ++k) {
    const Val x = c.in(k);
    in.push_back(b[x].dtype == DType::f64 ? x : b.cast(x, DType::f32));
  }
  const size_t first = b.program().instrs.size();
  const Val out = formula(b, in);
  if (!b.status()) return;
  const std::vector<Val> found = gradients_since(b, first, out, b.cast(c.g, b[out].dtype), in);
  for (size_t k = 0; k < inputs; ++k) {
    const bool is_repeated = std::any_of(in.begin(), in.begin() + static_cast<ptrdiff_t>(k),
                                         [&](Val other) { return other.id == in[k].id; });  // counted there
    if (c.wants(k) && found[k] && !is_repeated) c.give(k, found[k]);
  }
}

/// x̂ = (x − mean) · factor, factor = 1 / √(variance + ε).
struct Normalised {
  Val factor, x;

  Normalised(OpBuilder& b, Val of, Val mean, Val variance, double epsilon) {
    if (!b.status()) return;
    const Val e = b.constant(Tensor::from_f64(b[of].dtype, {}, std::vector<double>(1, epsilon)));
    factor = b.unary(UnaryFn::reciprocal, b.unary(UnaryFn::sqrt, b.add(variance, e)));
    x = b.mul(b.sub(of, mean), factor);
  }

  /// With the mean and variance of `of` itself over these axes.
  static Normalised own(OpBuilder& b, Val of, const std::vector<int>& axes, double epsilon) {
    const Val mean = b.mean(of, axes, true), off = b.sub(of, mean);
    return {b, of, mean, b.mean(b.mul(off, off), axes, true), epsilon};
  }
};

/// The gradient by x of x̂ · scale with x's own statistics; `h`: the gradient times scale.
Val gradient_input(OpBuilder& b, Val h, const Normalised& n, const std::vector<int>& axes) {
  const Val along = b.mul(n.x, b.mean(b.mul(h, n.x), axes, true));
  return b.mul(b.sub(b.sub(h, b.mean(h, axes, true)), along), n.factor);
}

/// [2, C] of [N, C, inner]: Σ g · x̂ and Σ g.
Val channel_sums(OpBuilder& b, Val g, Val x, int64_t channels) {
  const Val rows[] = {b.reshape(b.sum(b.mul(g, x), {0, 2}), {1, channels}), b.reshape(b.sum(g, {0, 2}), {1, channels})};
  return b.concat(rows, 0);
}

/// [N, C, inner] of [N, C, ..].
Dims by_channel(const Dims& dims) {
  int64_t inner = 1;
  for (size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
  return {dims[0], dims[1], inner};
}

/// Views of GroupNormAttr's rows: [rows, C, inner], [groups, elements].
Dims by_channel(const GroupNormAttr& a, const Dims& dims) {
  return {element_count(dims) / (a.channels * a.inner), a.channels, a.inner};
}

Dims by_group(const GroupNormAttr& a, const Dims& dims) {
  return {element_count(dims) / a.group_size, a.group_size};
}

/// x, seen by channel, with its own statistics or these, [2, C].
Normalised batch_normalised(OpBuilder& b, const BatchNormAttr& attr, Val x, Val moments, int64_t channels) {
  if (attr.batch) return Normalised::own(b, x, {0, 2}, attr.epsilon);
  const auto row = [&](int64_t k) { return b.reshape(b.slice(moments, 0, k, k + 1), {channels, 1}); };
  return {b, x, row(0), row(1), attr.epsilon};
}

}  // namespace

void batch_norm(AdjointContext& c) {
  const Val sums = c.b.emit(Op::batch_norm_grad_sums, {c.g, c.in(0), c.in(1)}, c.i.attr)[0];
  give_row(c, 2, sums, 0);
  give_row(c, 3, sums, 1);
  if (!c.wants(0) || !c.b.status()) return;
  c.give(0, c.b.emit(Op::batch_norm_grad_input, {c.g, c.in(0), c.in(1), c.in(2), sums}, c.i.attr)[0]);
}

void group_norm(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::group_norm_grad_input, {c.g, c.in(0), c.in(1)}, c.i.attr)[0]);
  if (!c.wants(1) && !c.wants(2)) return;
  const Val sums = c.b.emit(Op::group_norm_grad_sums, {c.g, c.in(0)}, c.i.attr)[0];
  give_row(c, 1, sums, 0);
  give_row(c, 2, sums, 1);
}

void batch_norm_grad_sums(AdjointContext& c) {
  const Dims seen = by_channel(c.dims(1));
  through(c, 3, [&](OpBuilder& b, const Wide& in) {
    const Val x = batch_normalised(b, c.attr<BatchNormAttr>(), b.reshape(in[1], seen), in[2], seen[1]).x;
    return channel_sums(b, b.reshape(in[0], seen), x, seen[1]);
  });
}

// The sums (input 4) are functions of g and x: their part of the derivative is in the formula.
void batch_norm_grad_input(AdjointContext& c) {
  const BatchNormAttr& attr = c.attr<BatchNormAttr>();
  const Dims dims = c.dims(1), seen = by_channel(dims);
  through(c, 4, [&](OpBuilder& b, const Wide& in) {
    const Normalised n = batch_normalised(b, attr, b.reshape(in[1], seen), in[2], seen[1]);
    const Val h = b.mul(b.reshape(in[0], seen), b.reshape(in[3], {seen[1], 1}));
    return b.reshape(attr.batch ? gradient_input(b, h, n, {0, 2}) : b.mul(h, n.factor), dims);
  });
}

void group_norm_grad_input(AdjointContext& c) {
  const GroupNormAttr& attr = c.attr<GroupNormAttr>();
  const Dims dims = c.dims(1), channels = by_channel(attr, dims), groups = by_group(attr, dims);
  through(c, 3, [&](OpBuilder& b, const Wide& in) {
    const Val h = b.mul(b.reshape(in[0], channels), b.reshape(in[2], {attr.channels, 1}));
    const Normalised n = Normalised::own(b, b.reshape(in[1], groups), {1}, attr.epsilon);
    return b.reshape(gradient_input(b, b.reshape(h, groups), n, {1}), dims);
  });
}

void group_norm_grad_sums(AdjointContext& c) {
  const GroupNormAttr& attr = c.attr<GroupNormAttr>();
  const Dims channels = by_channel(attr, c.dims(1)), groups = by_group(attr, c.dims(1));
  through(c, 2, [&](OpBuilder& b, const Wide& in) {
    const Val x = Normalised::own(b, b.reshape(in[1], groups), {1}, attr.epsilon).x;
    return channel_sums(b, b.reshape(in[0], channels), b.reshape(x, channels), attr.channels);
  });
}

}  // namespace hw::adjoint_rules
