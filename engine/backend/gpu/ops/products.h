// Matrix products: factors rounded to the compute dtype, the driver's product, results rounded to the output's dtype.
#pragma once

#include "engine/backend/gpu/ops/plain_product.h"

namespace hw::gpu {

/// How the factors of a product reach it.
struct FactorFormat {
  DType storage, rounded, operand;  // rounded: storage where nothing is lost; operand: holds all these numbers
  bool as_stored() const { return storage == rounded && storage == operand; }
  DType wide() const { return operand == DType::f64 ? DType::f64 : DType::f32; }
};

/// f8 numbers are multiplied in bf16, which holds them, but for takes_f8; bf16 and tf32 in f32 where the chip lacks
/// them.
FactorFormat factor_format(const Driver& driver, DType storage, std::optional<DType> compute);
/// Whether the chip multiplies the f8 numbers themselves: f8e4m3 only, one product, B transposed, sizes of whole 16s.
bool takes_f8(const Driver& driver, const FactorFormat& f, const Gemm& g);
KernelInfo product_info(const Driver& driver, const FactorFormat& f);

/// x rounded to a format, in memory of another: the factor of a product.
template <class T>
struct RoundFactor {
  kernels::Source x;
  DType rounded;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, value(x.at<T>(i))); }
  HW_BODY T value(T v) const {
    if (rounded == DType::tf32) return convert_bodies::tf32_of(v);
    return dispatch(rounded, [&](auto format) {
      return convert_bodies::load_as<T>(format, convert_bodies::store_as<T>(format, v));
    });
  }

  HW_REAL_KERNEL(T, RoundFactor, x.dtype, rounded, y.dtype)
};

/// Rounds results to the dtype of the output.
template <class T>
struct RoundResult {
  const T* x;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, x[i]); }

  HW_REAL_KERNEL(T, RoundResult, y.dtype)
};

/// Memory of a dtype that is multiplied: tf32 numbers lie in f32.
inline DType memory_of(DType operand) {
  return operand == DType::tf32 ? DType::f32 : operand;
}

/// `count` factors: as they lie, or rounded into scratch.
template <class Launcher>
const void* factor(OpContext& c, const FactorFormat& f, const kernels::Source& x, int64_t count) {
  if (f.as_stored()) return x.data;
  const DType memory = memory_of(f.operand);
  const kernels::Target y{memory, c.scratch<std::byte>(static_cast<int64_t>(byte_count(memory, count)))};
  with_real(f.wide(), [&](auto real) { map<Launcher>(c, count, RoundFactor<decltype(real)>{x, f.rounded, y}); });
  return y.data;
}

/// The dtype a product is written in before it is rounded to `out`.
inline DType result_dtype(const FactorFormat& f, DType out) {
  if (f.operand == DType::f64) return DType::f64;
  if (info(f.operand).bits == 8) return DType::f32;
  return out == f.operand && out != DType::tf32 ? out : DType::f32;
}

/// Rounds `count` results of dtype `made` into y, unless they lie there.
template <class Launcher>
void round_result(OpContext& c, DType made, const void* x, const kernels::Target& y, int64_t count) {
  if (x == y.data && made == y.dtype) return;
  if (made == DType::f64)
    map<Launcher>(c, count, RoundResult<double>{static_cast<const double*>(x), y});
  else
    map<Launcher>(c, count, RoundResult<float>{static_cast<const float*>(x), y});
}

template <class Launcher>
void add_bias(OpContext& c, const Gemm& g, const kernels::Target& y) {
  with_real(y.dtype, [&](auto real) {
    map<Launcher>(c, g.n * g.m, AddBias<decltype(real)>{{y.dtype, g.bias}, y, g.m});
  });
}

/// The bias of each output channel at every place of one picture: [outputs, area].
struct SpreadBias {
  kernels::Source bias;
  kernels::Target y;
  int64_t area;
  HW_BODY void operator()(int64_t i) const { y.put(i, bias.at<double>(i / area)); }

  HW_KERNEL(SpreadBias, bias.dtype, y.dtype)
};

/// What a product is written in before it is rounded to `out`: with a bias, what its sums are in, so that the bias is
/// added before the one rounding.
inline DType result_dtype(const OpContext& c, const FactorFormat& f) {
  return c.takes_bias() ? f.wide() : result_dtype(f, c.out().dtype);
}

/// The bias in the dtype that the product is written in.
template <class Launcher>
const void* bias_as(OpContext& c, DType result, int64_t count) {
  if (!c.takes_bias() || c.out().dtype == result) return c.bias();
  const kernels::Target wide{result, c.scratch<std::byte>(static_cast<int64_t>(byte_count(result, count)))};
  if (c.bias()) map<Launcher>(c, count, SpreadBias{{c.out().dtype, c.bias()}, wide, 1});
  return c.bias() ? wide.data : nullptr;
}

template <class Launcher>
void plan_product(OpContext& c, const Driver& driver) {
  const MatmulAttr& attr = c.attr<MatmulAttr>();
  const Dims &a = c.in(0).dims, &b = c.in(1).dims, &y = c.out().dims;
  FactorFormat f = factor_format(driver, c.in(0).dtype, attr.compute);
  Gemm g;
  if (c.op() == Op::matmul) {
    g.k = a.back();
    g.m = y.back();
    g.n = element_count({y.begin(), y.end() - 1});
    g.transpose_b = attr.transpose_b;
  } else if (c.op() == Op::matmul_tn) {
    g.n = a.back();
    g.m = b.back();
    g.k = element_count({a.begin(), a.end() - 1});
    g.transpose_a = true;
  } else {
    const size_t last = y.size() - 1;
    g.n = y[last - 1];
    g.m = y[last];
    g.k = a[attr.transpose_a ? last - 1 : last];
    g.batch = element_count({y.begin(), y.end() - 2});
    g.transpose_a = attr.transpose_a;
    g.transpose_b = attr.transpose_b;
    g.step_a = g.n * g.k;
    g.step_b = g.k * g.m;
    g.step_c = g.n * g.m;
  }
  if (takes_f8(driver, f, g)) f.operand = f.storage;
  g.operand = f.operand;
  g.result = result_dtype(c, f);
  c.info = product_info(driver, f);
  g.takes_bias = c.takes_bias();
  const int64_t size = c.out_size();
  const kernels::Target out = c.write();
  if (size == 0) return;
  if (g.k == 0) {
    c.clear(out.data, byte_count(out.dtype, size));
    g.bias = c.bias();
    if (g.bias) add_bias<Launcher>(c, g, out);
    return;
  }
  g.bias = bias_as<Launcher>(c, g.result, g.m);
  g.a = factor<Launcher>(c, f, c.read(0), c.in_size(0));
  g.b = factor<Launcher>(c, f, c.read(1), c.in_size(1));
  g.c = g.result == out.dtype ? out.data : c.scratch<std::byte>(static_cast<int64_t>(byte_count(g.result, size)));
  c.multiply(g);
  round_result<Launcher>(c, g.result, g.c, out, size);
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_PRODUCTS_PLANNERS(Launcher) template void plan_product<Launcher>(OpContext&, const Driver&);
