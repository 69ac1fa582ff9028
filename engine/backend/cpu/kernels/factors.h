// The factors of a product as oneDNN (or the loops in f64) take them: rounded to the compute dtype, then widened.
#pragma once

#include <optional>

#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

/// How the factors of one product reach it, whatever their storage dtype.
struct FactorFormat {
  DType storage = DType::f32;
  DType rounded = DType::f32;  // what they are rounded to; storage: nothing is lost
  DType operand = DType::f32;  // f64, f32 or bf16, which hold all these numbers

  /// The dtypes that a kernel reports for these factors; `accumulate` f64 for f64, else f32.
  KernelInfo info(std::string implementation) const;
};

/// `bf16`: whether the product may take factors in bf16, see multiplies_bf16.
FactorFormat factor_format(DType storage, std::optional<DType> compute, bool bf16);

/// `count` elements of x from `first` on as f.operand: their own memory, or made in scratch, which then moves on.
const void* factor(const FactorFormat& f, const Operand& x, int64_t first, int64_t count, std::byte*& scratch);
inline const void* factor(const FactorFormat& f, const Operand& x, std::byte*& scratch) {
  return factor(f, x, 0, x.size(), scratch);
}
/// What factor() takes of the scratch.
size_t factor_bytes(const FactorFormat& f, int64_t count);

/// Adds one number of `bias` to each run of `inner` results, run after run, from the first number on again after the
/// last; T is float or double. In scratch: the bias widened, bias_bytes().
template <class T>
void add_bias(const Operand& bias, int64_t inner, T* result, int64_t count, std::byte* scratch);
size_t bias_bytes(int64_t count);

/// Where to compute `count` results in f32: the memory of `out`, from `first` on, or scratch.
float* result_target(const Operand& out, int64_t first, std::byte* scratch);
/// Rounds what result_target() gave to the dtype of `out`.
void store_result(const Operand& out, int64_t first, int64_t count, const float* result);
size_t result_bytes(DType out, int64_t count);

}  // namespace hw::cpu
