#include "engine/backend/cuda/ops/products.h"

namespace hw::cuda {
namespace {

// Every number of `narrow` is one of `wide`.
bool contains(DType wide, DType narrow) {
  const DTypeInfo &w = info(wide), &n = info(narrow);
  return w.mantissa_bits >= n.mantissa_bits && w.max >= n.max && w.min_subnormal <= n.min_subnormal;
}

}  // namespace

FactorFormat factor_format(const Driver& driver, DType storage, std::optional<DType> compute) {
  FactorFormat f{storage, storage, storage};
  if (compute && !contains(*compute, storage)) f.rounded = *compute;
  if (storage == DType::f64) return f;
  f.operand = size_of(f.rounded) == 1 ? DType::bf16 : f.rounded;
  if (!driver.multiplies(f.operand)) f.operand = DType::f32;
  return f;
}

bool takes_f8(const Driver& driver, const FactorFormat& f, const Gemm& g) {
  const bool whole = g.n % 16 == 0 && g.k % 16 == 0 && g.m % 16 == 0;
  return f.storage == DType::f8e4m3 && f.rounded == f.storage && g.transpose_b && !g.transpose_a && g.batch == 1 &&
         g.k > 0 && whole && driver.multiplies(f.storage);
}

KernelInfo product_info(const Driver& driver, const FactorFormat& f) {
  return {f.storage, f.rounded == f.storage ? f.operand : f.rounded, f.wide(), driver.product_implementation()};
}

}  // namespace hw::cuda
