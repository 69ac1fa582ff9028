// Convolution as matrix products: the taps of every output gathered into columns (im2col), some pictures at a time so
// that the columns stay within a fixed size. What is scattered forwards is gathered backwards, in a fixed order. A
// driver that has a library for convolutions is asked first.
#pragma once

#include "engine/backend/gpu/conv_shape.h"
#include "engine/backend/gpu/ops/products.h"
#include "engine/backend/gpu/ops/sums.h"

namespace hw::gpu {

/// Columns [pictures, channels · taps, outputs] of x: 0 outside. Rounded to the compute dtype.
template <class T>
struct Im2Col {
  ConvShape s;
  kernels::Source x;
  RoundFactor<T> round;
  HW_BODY void operator()(int64_t i) const {
    const int64_t column = i % s.out_w, row = i / s.out_w % s.out_h, tap = i / s.area() % s.taps();
    const int64_t channel = i / s.area() / s.taps() % s.channels, n = i / s.columns();
    const int64_t h = row * s.stride_h - s.pad_h + tap / s.kernel_w * s.dilation_h;
    const int64_t w = column * s.stride_w - s.pad_w + tap % s.kernel_w * s.dilation_w;
    const bool inside = h >= 0 && h < s.height && w >= 0 && w < s.width;
    round.y.put(i, inside ? round.value(x.at<T>(((n * s.channels + channel) * s.height + h) * s.width + w)) : T(0));
  }

  HW_REAL_KERNEL(T, Im2Col, x.dtype, round.rounded, round.y.dtype)
};

/// The element of x that is the sum of its columns, taps in order, and the bias of its channel.
template <class T>
struct Col2Im {
  ConvShape s;
  const T* columns;
  kernels::Target x;
  kernels::Source bias;  // one number a channel of x; data null: none
  HW_BODY void operator()(int64_t i) const {
    const int64_t w = i % s.width, h = i / s.width % s.height, channel = i / s.width / s.height % s.channels;
    const int64_t n = i / s.picture();
    double sum = 0;
    for (int64_t p = 0; p < s.kernel_h; ++p) {
      const int64_t from_h = h + s.pad_h - p * s.dilation_h;
      if (from_h < 0 || from_h % s.stride_h != 0 || from_h / s.stride_h >= s.out_h) continue;
      for (int64_t q = 0; q < s.kernel_w; ++q) {
        const int64_t from_w = w + s.pad_w - q * s.dilation_w;
        if (from_w < 0 || from_w % s.stride_w != 0 || from_w / s.stride_w >= s.out_w) continue;
        const int64_t tap = channel * s.taps() + p * s.kernel_w + q;
        sum += static_cast<double>(
            columns[n * s.columns() + tap * s.area() + from_h / s.stride_h * s.out_w + from_w / s.stride_w]);
      }
    }
    if (bias.data)
      x.put(i, static_cast<T>(sum) + bias.at<T>(channel));
    else
      x.put(i, sum);
  }

  HW_REAL_KERNEL(T, Col2Im, x.dtype, bias.dtype)
};

/// Adds the weight gradients of pictures, in order.
template <class T>
struct AddPictures {
  const T* parts;
  int64_t pictures, size;
  bool first;
  double* total;
  HW_BODY void operator()(int64_t i) const {
    double sum = first ? 0.0 : total[i];
    for (int64_t n = 0; n < pictures; ++n) sum += static_cast<double>(parts[n * size + i]);
    total[i] = sum;
  }

  HW_REAL_KERNEL(T, AddPictures)
  int64_t turns() const { return pictures; }
};

inline ConvShape conv_shape(const ConvAttr& a, const Dims& x, const Dims& weight, const Dims& y) {
  return {x[0], x[1],        x[2],        x[3],          weight[2],     weight[3],      y[2],          y[3],
          y[1], a.stride[0], a.stride[1], a.dilation[0], a.dilation[1], a.pad_begin[0], a.pad_begin[1]};
}

/// Memory of a factor or result, `elements` on.
inline const void* at(const void* memory, DType dtype, int64_t elements) {
  return memory ? static_cast<const std::byte*>(memory) + static_cast<size_t>(elements) * size_of(dtype) : nullptr;
}
inline void* at(void* memory, DType dtype, int64_t elements) {
  return const_cast<void*>(at(static_cast<const void*>(memory), dtype, elements));
}

/// The parts that the three products share.
template <class Launcher>
struct ConvPlan {
  OpContext& c;
  ConvShape s;
  FactorFormat f;
  DType memory;              // of factors
  int64_t groups, together;  // pictures at a time
  void* columns;

  ConvPlan(OpContext& context, const Driver& driver, const Dims& x, const Dims& weight, const Dims& y)
      : c(context),
        s(conv_shape(c.attr<ConvAttr>(), x, weight, y)),
        f(factor_format(driver, c.in(0).dtype, c.attr<ConvAttr>().compute)),
        memory(memory_of(f.operand)),
        groups(c.attr<ConvAttr>().groups) {
    c.info = product_info(driver, f);
    constexpr int64_t kBudget = int64_t{256} << 20;  // bytes
    const int64_t bytes = (s.columns() + s.outputs * s.channels / groups * s.taps()) * 8;
    together = std::clamp<int64_t>(kBudget / std::max<int64_t>(bytes, 1), 1, std::max<int64_t>(s.pictures, 1));
    columns = c.scratch<std::byte>(static_cast<int64_t>(byte_count(wide_memory(), together * s.columns())));
  }
  /// Columns are factors forwards, results backwards.
  DType wide_memory() const { return c.op() == Op::conv2d_grad_input ? f.wide() : memory; }
  int64_t inner() const { return s.channels / groups * s.taps(); }  // length of a product's sum forwards
  int64_t outputs() const { return s.outputs / groups; }

  void gather(const kernels::Source& x, int64_t first, int64_t count) {
    with_real(f.wide(), [&](auto real) {
      using T = decltype(real);
      map<Launcher>(c, count * s.columns(),
                    Im2Col<T>{s, further(x, first * s.picture()), {{}, f.rounded, {memory, columns}}});
    });
  }
  template <class F>
  void each_part(F part) {
    for (int64_t first = 0; first < s.pictures; first += together) part(first, std::min(together, s.pictures - first));
  }
  Gemm product(int64_t pictures, DType result) const {
    Gemm g;
    g.operand = f.operand;
    g.result = result;
    g.batch = pictures;
    return g;
  }
};

/// A bias is one number a row of a product here, since channels come before places in memory. cuBLASLt's bias epilogue
/// has one number a column, and refuses results whose rows and columns are swapped. So the bias is spread over one
/// picture, and every picture's product adds that as its C: results are written once and never read again.
template <class Launcher>
void plan_conv_forward(OpContext& c, const Driver& driver) {
  ConvPlan<Launcher> p(c, driver, c.in(0).dims, c.in(1).dims, c.out().dims);
  const void* weight = factor<Launcher>(c, p.f, c.read(1), c.in_size(1));
  const DType result = result_dtype(c, p.f);
  const int64_t size = p.s.outputs * p.s.area(), inner = p.inner();
  const bool direct = result == c.out().dtype;
  const auto bytes = [result](int64_t count) { return static_cast<int64_t>(byte_count(result, count)); };
  void* made = direct ? nullptr : c.scratch<std::byte>(bytes(p.together * size));
  void* spread = c.takes_bias() ? c.scratch<std::byte>(bytes(size)) : nullptr;
  if (c.bias()) map<Launcher>(c, size, SpreadBias{{c.out().dtype, c.bias()}, {result, spread}, p.s.area()});
  p.each_part([&](int64_t first, int64_t count) {
    p.gather(c.read(0), first, count);
    const kernels::Target y = further(c.write(), first * size);
    for (int64_t group = 0; group < p.groups; ++group) {
      Gemm g = p.product(count, result);
      g.n = p.outputs(), g.k = inner, g.m = p.s.area();
      g.a = at(weight, p.memory, group * g.n * g.k);
      g.b = at(p.columns, p.memory, group * g.k * g.m), g.step_b = p.s.columns();
      g.c = at(direct ? y.data : made, result, group * g.n * g.m), g.step_c = size;
      g.matrix = at(spread, result, group * g.n * g.m), g.adds_matrix = c.bias() != nullptr;
      c.multiply(g);
    }
    if (!direct) round_result<Launcher>(c, result, made, y, count * size);
  });
}

template <class Launcher>
void plan_conv_grad_input(OpContext& c, const Driver& driver) {
  ConvPlan<Launcher> p(c, driver, c.out().dims, c.in(1).dims, c.in(0).dims);
  const void* g_all = factor<Launcher>(c, p.f, c.read(0), c.in_size(0));
  const void* weight = factor<Launcher>(c, p.f, c.read(1), c.in_size(1));
  const int64_t size = p.s.outputs * p.s.area();
  p.each_part([&](int64_t first, int64_t count) {
    for (int64_t group = 0; group < p.groups; ++group) {
      Gemm g = p.product(count, p.f.wide());
      g.n = p.inner(), g.k = p.outputs(), g.m = p.s.area();
      g.transpose_a = true;
      g.a = at(weight, p.memory, group * g.n * g.k);
      g.b = at(g_all, p.memory, first * size + group * g.k * g.m), g.step_b = size;
      g.c = at(p.columns, p.f.wide(), group * g.n * g.m), g.step_c = p.s.columns();
      c.multiply(g);
    }
    with_real(p.f.wide(), [&](auto real) {
      using T = decltype(real);
      map<Launcher>(c, count * p.s.picture(),
                    Col2Im<T>{p.s,
                              static_cast<const T*>(p.columns),
                              further(c.write(), first * p.s.picture()),
                              {c.out().dtype, c.bias()}});
    });
  });
}

template <class Launcher>
void plan_conv_grad_weight(OpContext& c, const Driver& driver) {
  ConvPlan<Launcher> p(c, driver, c.in(0).dims, c.out().dims, c.in(1).dims);
  const void* g_all = factor<Launcher>(c, p.f, c.read(1), c.in_size(1));
  const int64_t size = p.s.outputs * p.s.area(), weights = c.out_size();
  void* parts = c.scratch<std::byte>(static_cast<int64_t>(byte_count(p.f.wide(), p.together * weights)));
  auto* total = c.scratch<double>(weights);
  if (p.s.pictures == 0) c.clear(total, static_cast<size_t>(weights) * sizeof(double));
  p.each_part([&](int64_t first, int64_t count) {
    p.gather(c.read(0), first, count);
    for (int64_t group = 0; group < p.groups; ++group) {
      Gemm g = p.product(count, p.f.wide());
      g.n = p.outputs(), g.k = p.s.area(), g.m = p.inner();
      g.transpose_b = true;
      g.a = at(g_all, p.memory, first * size + group * g.n * g.k), g.step_a = size;
      g.b = at(p.columns, p.memory, group * g.m * g.k), g.step_b = p.s.columns();
      g.c = at(parts, p.f.wide(), group * g.n * g.m), g.step_c = weights;
      c.multiply(g);
    }
    with_real(p.f.wide(), [&](auto real) {
      using T = decltype(real);
      map<Launcher>(c, weights, AddPictures<T>{static_cast<const T*>(parts), count, weights, first == 0, total});
    });
  });
  map<Launcher>(c, weights, StoreSums{total, c.write()});
}

/// What has been made without: the bias of one channel each.
template <class T>
struct AddChannelBias {
  kernels::Source bias;
  kernels::Target y;
  int64_t area, channels;
  HW_BODY void operator()(int64_t i) const { y.put(i, y.source().at<T>(i) + bias.at<T>(i / area % channels)); }

  HW_REAL_KERNEL(T, AddChannelBias, bias.dtype, y.dtype)
};

/// By the driver's library: factors and result of one dtype, and as many zeros after a picture as before it. Else, and
/// where it refuses, nothing is planned.
template <class Launcher>
bool plan_library_convolution(OpContext& c, const Driver& driver) {
  const bool forward = c.op() == Op::conv2d, to_input = c.op() == Op::conv2d_grad_input;
  const ConvAttr& a = c.attr<ConvAttr>();
  const FactorFormat f = factor_format(driver, c.in(0).dtype, a.compute);
  Convolution k;
  k.op = c.op();
  k.dtype = f.operand;
  k.groups = a.groups;
  const Dims &x = (to_input ? c.out() : c.in(0)).dims, &weight = (forward || to_input ? c.in(1) : c.out()).dims;
  k.shape = conv_shape(a, x, weight, forward ? c.out().dims : c.in(to_input ? 0 : 1).dims);
  const ConvShape& s = k.shape;
  const bool even = window_count(s.height, s.kernel_h, s.stride_h, s.dilation_h, 2 * s.pad_h) == s.out_h &&
                    window_count(s.width, s.kernel_w, s.stride_w, s.dilation_w, 2 * s.pad_w) == s.out_w;
  if (s.pictures == 0 || !even || memory_of(f.operand) != c.out().dtype) return false;
  if (c.takes_bias() && c.out().dtype != f.wide()) return false;  // it would round before the bias is added
  const std::optional<size_t> bytes = driver.convolution_bytes(k);
  if (!bytes) return false;
  c.info = product_info(driver, f);
  c.info.implementation = driver.convolution_implementation();
  k.scratch = c.scratch<std::byte>(static_cast<int64_t>(*bytes));
  k.scratch_bytes = *bytes;
  k.first = factor<Launcher>(c, f, c.read(0), c.in_size(0));
  k.second = factor<Launcher>(c, f, c.read(1), c.in_size(1));
  k.result = c.write().data;
  c.add([k](Driver& d) { return d.convolve(k); });
  if (!c.bias()) return true;
  const Dims& y = c.out().dims;
  with_real(c.out().dtype, [&](auto real) {
    map<Launcher>(c, c.out_size(),
                  AddChannelBias<decltype(real)>{{c.out().dtype, c.bias()}, c.write(), y[2] * y[3], y[1]});
  });
  return true;
}

template <class Launcher>
void plan_convolution(OpContext& c, const Driver& driver) {
  if (plan_library_convolution<Launcher>(c, driver)) return;
  if (c.op() == Op::conv2d) return plan_conv_forward<Launcher>(c, driver);
  if (c.op() == Op::conv2d_grad_input) return plan_conv_grad_input<Launcher>(c, driver);
  plan_conv_grad_weight<Launcher>(c, driver);
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_CONVOLUTION_PLANNERS(Launcher) template void plan_convolution<Launcher>(OpContext&, const Driver&);
