#include "engine/backend/gpu/ops/products.h"

namespace hw::gpu {
FactorFormat factor_format(const Driver& driver, DType storage, std::optional<DType> compute) {
  FactorFormat f{storage, storage, storage};
  if (compute && !embeds(storage, *compute)) f.rounded = *compute;
  if (storage == DType::f64) return f;
  f.operand = info(f.rounded).bits == 8 ? DType::bf16 : f.rounded;
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

}  // namespace hw::gpu
