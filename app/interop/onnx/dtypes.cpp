#include "app/interop/onnx/dtypes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/codes.h"

namespace hw::interop {
namespace {

using DTypeKind = OnnxDType::Kind;

constexpr OnnxDType kDTypes[]{
    {1, "FLOAT", DType::f32},
    {2, "UINT8", DType::u8},
    {3, "INT8", DType::i8},
    {4, "UINT16", DType::i32, DTypeKind::unsigned_whole, 16},
    {5, "INT16", DType::i32, DTypeKind::whole, 16},
    {6, "INT32", DType::i32},
    {7, "INT64", DType::i64},
    {8, "STRING", DType::u8, DTypeKind::none},
    {9, "BOOL", DType::boolean},
    {10, "FLOAT16", DType::f16},
    {11, "DOUBLE", DType::f64},
    {12, "UINT32", DType::i64, DTypeKind::unsigned_whole, 32},
    {13, "UINT64", DType::i64, DTypeKind::unsigned_whole, 64},
    {14, "COMPLEX64", DType::f32, DTypeKind::none},
    {15, "COMPLEX128", DType::f64, DTypeKind::none},
    {16, "BFLOAT16", DType::bf16},
    {17, "FLOAT8E4M3FN", DType::f8e4m3},
    {18, "FLOAT8E4M3FNUZ", DType::f16, DTypeKind::small_float, 8},
    {19, "FLOAT8E5M2", DType::f8e5m2},
    {20, "FLOAT8E5M2FNUZ", DType::f16, DTypeKind::small_float, 8},
    {21, "UINT4", DType::u8, DTypeKind::unsigned_whole, 4},
    {22, "INT4", DType::i8, DTypeKind::whole, 4},
    {23, "FLOAT4E2M1", DType::f16, DTypeKind::small_float, 4},
    {24, "FLOAT8E8M0", DType::f32, DTypeKind::small_float, 8},
    {25, "UINT2", DType::u8, DTypeKind::unsigned_whole, 2},
    {26, "INT2", DType::i8, DTypeKind::whole, 2},
};

/// Exponent and mantissa of a float of few bits; its lowest exponent has the subnormals.
double small_float(int bits, int exponent_bits, int bias, unsigned code) {
  const int mantissa_bits = bits - 1 - exponent_bits;
  const auto mantissa = static_cast<double>(code & ((1u << mantissa_bits) - 1));
  const int exponent = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double ones = std::ldexp(1.0, mantissa_bits);
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                         : std::ldexp(ones + mantissa, exponent - bias - mantissa_bits);
  return code >> (bits - 1) & 1u ? -magnitude : magnitude;
}

double small_float(int64_t number, unsigned code) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (number == 23) return small_float(4, 2, 1, code);
  if (number == 24) return code == 0xff ? kNaN : std::ldexp(1.0, static_cast<int>(code) - 127);
  if (code == 0x80) return kNaN;  // FNUZ: one NaN, no Inf, no −0
  return number == 18 ? small_float(8, 4, 8, code) : small_float(8, 5, 16, code);
}

/// Element `i`, of at most 64 bits.
uint64_t bits_of(const unsigned char* bytes, int bits, size_t i) {
  if (bits < 8) {
    const auto each = static_cast<size_t>(8 / bits);
    return bytes[i / each] >> (i % each * static_cast<size_t>(bits)) & ((1u << bits) - 1);
  }
  const auto size = static_cast<size_t>(bits / 8);
  uint64_t value = 0;
  for (size_t k = size; k-- > 0;) value = value << 8 | bytes[i * size + k];
  return value;
}

}  // namespace

const OnnxDType* find_onnx_dtype(int64_t number) {
  const auto* const found = std::ranges::find(kDTypes, number, &OnnxDType::number);
  return found == std::end(kDTypes) ? nullptr : found;
}

std::optional<DType> dtype_of(int64_t number) {
  const OnnxDType* type = find_onnx_dtype(number);
  return type && type->kind != DTypeKind::none ? std::optional(type->held) : std::nullopt;
}

std::string onnx_name(int64_t number) {
  const OnnxDType* type = find_onnx_dtype(number);
  return type ? type->name : "type " + std::to_string(number);
}

int64_t number_of(DType dtype) {
  for (const OnnxDType& type : kDTypes)
    if (type.kind == DTypeKind::same && type.held == dtype) return type.number;
  return 0;
}

size_t packed_bytes(const OnnxDType& type, size_t count) {
  if (!type.is_held_wider()) return byte_count(type.held, count);
  return hw::packed_bytes(static_cast<size_t>(type.bits), count);
}

Result<Tensor> unpacked(const OnnxDType& type, const unsigned char* bytes, const Dims& dims) {
  Tensor whole(DType::i64, type.is_whole() ? dims : Dims{0});
  std::vector<double> floats;
  for (size_t i = 0, n = static_cast<size_t>(element_count(dims)); i < n; ++i) {
    const uint64_t code = bits_of(bytes, type.bits, i);
    if (!type.is_whole()) {
      floats.push_back(small_float(type.number, static_cast<unsigned>(code)));
      continue;
    }
    if (type.bits == 64 && code >> 63 != 0)
      return Error{codes::dtype_mismatch, "", "a value of " + std::string(type.name) + " is 2^63 or more.", ""};
    const bool negative = type.kind == DTypeKind::whole && (code >> (type.bits - 1) & 1u) != 0;
    const auto value = static_cast<int64_t>(code);
    whole.as<int64_t>()[i] = negative ? value - (int64_t{1} << type.bits) : value;
  }
  return type.is_whole() ? whole.to(type.held) : Tensor::from_f64(type.held, dims, floats);
}

Error unsupported(const std::string& reason) {
  return {codes::unsupported, "", reason, ""};
}

}  // namespace hw::interop
