#include "engine/backend/cpu/kernels/factors.h"

#include "engine/core/convert.h"

namespace hw::cpu {
namespace {

std::byte* at(const Operand& x, int64_t first) {
  return x.data + static_cast<size_t>(first) * size_of(x.dtype);
}

}  // namespace

FactorFormat factor_format(DType storage, std::optional<DType> compute, bool bf16) {
  FactorFormat f{storage, storage, compute_dtype(storage)};
  if (compute && !embeds(storage, *compute)) f.rounded = *compute;
  // A bf16 or f8 number rounded to another format still fits in bf16.
  const bool fits = embeds(storage, DType::bf16) || embeds(f.rounded, DType::bf16);
  if (bf16 && fits && storage != DType::f64) f.operand = DType::bf16;
  return f;
}

KernelInfo FactorFormat::info(std::string implementation) const {
  return {storage, rounded == storage ? operand : rounded, compute_dtype(storage), std::move(implementation)};
}

const void* factor(const FactorFormat& f, const Operand& x, int64_t first, int64_t count, std::byte*& scratch) {
  const std::byte* from = at(x, first);
  if (f.rounded == x.dtype && f.operand == x.dtype) return from;
  std::byte* made = scratch;
  if (f.rounded == x.dtype)
    convert(f.operand, made, x.dtype, from, static_cast<size_t>(count));
  else
    round_through(f.rounded, f.operand, made, x.dtype, from, static_cast<size_t>(count));
  scratch += factor_bytes(f, count);
  return made;
}

size_t factor_bytes(const FactorFormat& f, int64_t count) {
  if (f.rounded == f.storage && f.operand == f.storage) return 0;
  return padded(byte_count(f.operand, count));
}

template <class T>
void add_bias(const Operand& bias, int64_t inner, T* result, int64_t count, std::byte* scratch) {
  constexpr DType kWide = sizeof(T) == sizeof(float) ? DType::f32 : DType::f64;
  const auto* numbers = bias.as<T>();
  if (bias.dtype != kWide) {
    convert(kWide, scratch, bias.dtype, bias.data, static_cast<size_t>(bias.size()));
    numbers = reinterpret_cast<const T*>(scratch);
  }
  const int64_t runs = bias.size();
  if (inner == 1) {
    for (int64_t at = 0; at < count; at += runs)
      for (int64_t k = 0; k < runs; ++k) result[at + k] += numbers[k];
    return;
  }
  for (int64_t at = 0; at < count; at += runs * inner)
    for (int64_t k = 0; k < runs; ++k) {
      T* run = result + at + k * inner;
      for (int64_t i = 0; i < inner; ++i) run[i] += numbers[k];
    }
}
template void add_bias(const Operand&, int64_t, float*, int64_t, std::byte*);
template void add_bias(const Operand&, int64_t, double*, int64_t, std::byte*);

size_t bias_bytes(int64_t count) {
  return padded(static_cast<size_t>(count) * sizeof(double));
}

float* result_target(const Operand& out, int64_t first, std::byte* scratch) {
  return reinterpret_cast<float*>(out.dtype == DType::f32 ? at(out, first) : scratch);
}

void store_result(const Operand& out, int64_t first, int64_t count, const float* result) {
  if (out.dtype != DType::f32) store(out, first, count, DType::f32, result);
}

size_t result_bytes(DType out, int64_t count) {
  return out == DType::f32 ? 0 : padded(static_cast<size_t>(count) * sizeof(float));
}

}  // namespace hw::cpu
