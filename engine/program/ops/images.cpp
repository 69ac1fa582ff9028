// Convolution, pooling, resizing.
#include <algorithm>

#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

std::string pair_text(const Pair& p) {
  return std::to_string(p[0]) + " x " + std::to_string(p[1]);
}

Status picture(const Args& a, const Value& v, const char* what) {
  if (v.dims.size() != 4)
    return wrong_rank(a, std::string(what) + " must have 4 axes, got " + infer_rules::text(v) + ".");
  return ok();
}

Status windows(const Args& a, const Pair& stride, const Pair& dilation, const Pair& begin, const Pair& end) {
  for (size_t d : {0, 1})
    if (stride[d] < 1 || dilation[d] < 1 || begin[d] < 0 || end[d] < 0)
      return wrong_attr(a, "Stride and dilation must be at least 1, padding at least 0.");
  return ok();
}

// [N, O, H', W'] of a convolution of x [N, C, H, W] by weight [O, C / groups, kh, kw].
Result<Dims> convolved(const Args& a, const Dims& x, const Dims& w) {
  const ConvAttr& attr = a.get<ConvAttr>();
  HW_CHECK(windows(a, attr.stride, attr.dilation, attr.pad_begin, attr.pad_end));
  HW_CHECK(compute_in(a, attr.compute));
  if (x.size() != 4 || w.size() != 4)
    return wrong_rank(
        a, "It convolves [N, C, H, W] by [O, C, kh, kw], got " + to_string(x) + " and " + to_string(w) + ".");
  if (attr.groups < 1 || x[1] % attr.groups != 0 || w[0] % attr.groups != 0)
    return wrong_attr(a, std::to_string(attr.groups) + " groups do not divide the channels of " + to_string(x) +
                             " and " + to_string(w) + ".");
  if (x[1] < 1 || x[1] / attr.groups != w[1] || w[0] < 1)
    return wrong_size(a, "The weight " + to_string(w) + " does not fit the channels of " + to_string(x) + " in " +
                             std::to_string(attr.groups) + " groups.");
  Dims y{x[0], w[0], 0, 0};
  for (size_t d : {0, 1}) {
    y[d + 2] = w[d + 2] < 1 ? 0
                            : window_count(x[d + 2], w[d + 2], attr.stride[d], attr.dilation[d],
                                           attr.pad_begin[d] + attr.pad_end[d]);
    if (y[d + 2] < 1)
      return wrong_size(a, "The kernel " + pair_text({w[2], w[3]}) + ", dilated, is larger than the padded picture " +
                               to_string(x) + ".");
  }
  return y;
}

Status channel_bias(const Args& a, int64_t channels) {
  if (a.in.size() < 3 || a.in[2].dims == Dims{channels}) return ok();
  return wrong_size(a, "The bias must be " + to_string(Dims{channels}) + ", got " + infer_rules::text(a.in[2]) + ".");
}

Result<Dims> pooled(const Args& a, const Dims& x) {
  const PoolAttr& attr = a.get<PoolAttr>();
  Dims y{x[0], x[1], attr.size[0], attr.size[1]};
  if (!attr.adaptive) HW_CHECK(windows(a, attr.stride, {1, 1}, attr.pad_begin, attr.pad_end));
  for (size_t d : {0, 1}) {
    if (x[d + 2] < 1) return wrong_size(a, "There is nothing to pool in " + to_string(x) + ".");
    if (attr.adaptive) {
      if (attr.size[d] < 1)
        return wrong_attr(a, "The pooled size must be at least 1, got " + pair_text(attr.size) + ".");
      continue;
    }
    // At most half a kernel of padding: every window then holds an element of the picture.
    if (attr.kernel[d] < 1 || 2 * std::max(attr.pad_begin[d], attr.pad_end[d]) > attr.kernel[d])
      return wrong_attr(a, "The padding must be at most half of the kernel " + pair_text(attr.kernel) + ".");
    y[d + 2] = window_count(x[d + 2], attr.kernel[d], attr.stride[d], 1, attr.pad_begin[d] + attr.pad_end[d]);
    if (y[d + 2] < 1)
      return wrong_size(
          a, "The window " + pair_text(attr.kernel) + " is larger than the padded picture " + to_string(x) + ".");
  }
  return y;
}

Result<Dims> resized(const Args& a, const Dims& x) {
  const Pair& size = a.get<ResizeAttr>().size;
  if (x.size() != 4) return wrong_rank(a, "It resizes [N, C, H, W], got " + to_string(x) + ".");
  if (size[0] < 1 || size[1] < 1 || x[2] < 1 || x[3] < 1)
    return wrong_size(a, "It cannot resize " + to_string(x) + " to " + pair_text(size) + ".");
  return Dims{x[0], x[1], size[0], size[1]};
}

}  // namespace

Types conv2d(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  HW_TRY(Dims y, convolved(a, a.in[0].dims, a.in[1].dims));
  HW_CHECK(channel_bias(a, y[1]));
  return one(made(a.in[0].dtype, std::move(y), a.in[0].axes));
}

Types conv2d_grad_input(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Dims& x = a.get<ConvAttr>().dims;
  HW_TRY(const Dims y, convolved(a, x, a.in[1].dims));
  HW_CHECK(exact_dims(a, a.in[0], y));
  HW_CHECK(channel_bias(a, x[1]));
  return one(made(a.in[0].dtype, x, a.in[0].axes));
}

Types conv2d_grad_weight(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const ConvAttr& attr = a.get<ConvAttr>();
  HW_CHECK(float_output(a, attr.dtype));
  HW_TRY(const Dims y, convolved(a, a.in[0].dims, attr.dims));
  HW_CHECK(exact_dims(a, a.in[1], y));
  return one(made(attr.dtype, attr.dims));
}

Types pool(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  HW_CHECK(picture(a, a.in[0], "The picture"));
  HW_TRY(Dims y, pooled(a, a.in[0].dims));
  return one(made(a.in[0].dtype, std::move(y), a.in[0].axes));
}

// (g, x) or (g) → dx.
Types pool_grad(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Value& g = a.in[0];
  const Dims& x = a.get<PoolAttr>().dims;
  if (x.size() != 4) return wrong_rank(a, "The picture must have 4 axes, got " + to_string(x) + ".");
  if (a.in.size() == 2) HW_CHECK(exact_dims(a, a.in[1], x));
  HW_TRY(const Dims y, pooled(a, x));
  HW_CHECK(exact_dims(a, g, y));
  return one(made(g.dtype, x, g.axes));
}

Types resize(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  HW_TRY(Dims y, resized(a, a.in[0].dims));
  return one(made(a.in[0].dtype, std::move(y), a.in[0].axes));
}

Types resize_grad(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Dims& x = a.get<ResizeAttr>().dims;
  HW_TRY(const Dims y, resized(a, x));
  HW_CHECK(exact_dims(a, a.in[0], y));
  return one(made(a.in[0].dtype, x, a.in[0].axes));
}

}  // namespace hw::infer_rules

namespace hw::adjoint_rules {
namespace {

// One number a channel: the gradient summed over pictures and places.
void give_bias(AdjointContext& c) {
  if (c.i.in.size() < 3 || !c.wants(2) || !c.b.status()) return;
  const int64_t channels = c.dims(2)[0];
  c.give(2, c.b.reshape(c.b.sum_to(c.g, {channels, 1, 1}, c.dtype(2)), {channels}));
}

}  // namespace

void conv2d(AdjointContext& c) {
  ConvAttr attr = c.attr<ConvAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::conv2d_grad_input, {c.g, c.in(1)}, attr)[0]);
  attr.dims = c.dims(1);
  attr.dtype = c.dtype(1);
  if (c.wants(1)) c.give(1, c.b.emit(Op::conv2d_grad_weight, {c.in(0), c.g}, attr)[0]);
  give_bias(c);
}

// Linear in picture and weight; the roles of picture and gradient change places.
void conv2d_grad_input(AdjointContext& c) {
  ConvAttr attr = c.attr<ConvAttr>();
  attr.dims = {};
  if (c.wants(0)) c.give(0, c.b.emit(Op::conv2d, {c.g, c.in(1)}, attr)[0]);
  attr.dims = c.dims(1);
  attr.dtype = c.dtype(1);
  if (c.wants(1)) c.give(1, c.b.emit(Op::conv2d_grad_weight, {c.g, c.in(0)}, attr)[0]);
  give_bias(c);
}

void conv2d_grad_weight(AdjointContext& c) {
  if (!c.b.status()) return;
  ConvAttr attr = c.attr<ConvAttr>();
  const Val g = c.b.cast(c.g, c.b[c.in(0)].dtype);
  attr.dims = {};
  if (c.wants(1)) c.give(1, c.b.emit(Op::conv2d, {c.in(0), g}, attr)[0]);
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::conv2d_grad_input, {c.in(1), g}, attr)[0]);
}

void max_pool(AdjointContext& c) {
  PoolAttr attr = c.attr<PoolAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::max_pool_grad, {c.g, c.in(0)}, attr)[0]);
}

void avg_pool(AdjointContext& c) {
  PoolAttr attr = c.attr<PoolAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::avg_pool_grad, {c.g}, attr)[0]);
}

void avg_pool_grad(AdjointContext& c) {
  PoolAttr attr = c.attr<PoolAttr>();
  attr.dims = {};
  if (c.wants(0)) c.give(0, c.b.emit(Op::avg_pool, {c.g}, attr)[0]);
}

void resize(AdjointContext& c) {
  ResizeAttr attr = c.attr<ResizeAttr>();
  attr.dims = c.dims(0);
  if (c.wants(0)) c.give(0, c.b.emit(Op::resize_grad, {c.g}, attr)[0]);
}

void resize_grad(AdjointContext& c) {
  ResizeAttr attr = c.attr<ResizeAttr>();
  attr.dims = {};
  if (c.wants(0)) c.give(0, c.b.emit(Op::resize, {c.g}, attr)[0]);
}

}  // namespace hw::adjoint_rules
