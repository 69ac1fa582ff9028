#include "app/interop/onnx/dtypes.h"

#include <utility>

#include "engine/core/codes.h"

namespace hw::interop {
namespace {

constexpr std::pair<int64_t, DType> kNumbers[]{
    {1, DType::f32},   {2, DType::u8},      {3, DType::i8},      {6, DType::i32},
    {7, DType::i64},   {9, DType::boolean}, {10, DType::f16},    {11, DType::f64},
    {16, DType::bf16}, {17, DType::f8e4m3}, {19, DType::f8e5m2},
};

}  // namespace

std::optional<DType> dtype_of(int64_t number) {
  for (const auto& [theirs, ours] : kNumbers)
    if (theirs == number) return ours;
  return std::nullopt;
}

int64_t number_of(DType dtype) {
  for (const auto& [theirs, ours] : kNumbers)
    if (ours == dtype && theirs < 17) return theirs;
  return 0;
}

Error unsupported(const std::string& reason) {
  return {codes::unsupported, "", reason, ""};
}

}  // namespace hw::interop
