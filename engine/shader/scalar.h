// The types of numbers in bodies, and what C++ does when two meet.
#pragma once

#include <cstdint>
#include <string_view>

namespace hw::shader {

enum class Scalar : uint8_t { nothing, boolean, i32, u32, i64, u64, f32, f64 };

constexpr bool is_float(Scalar s) {
  return s == Scalar::f32 || s == Scalar::f64;
}
constexpr bool is_long(Scalar s) {
  return s == Scalar::i64 || s == Scalar::u64;
}
constexpr Scalar promoted(Scalar s) {
  return s == Scalar::boolean ? Scalar::i32 : s;
}
/// The usual arithmetic conversions: the order of the enum is C++'s, but for i64 and u32, which give i64 there, too.
constexpr Scalar common(Scalar a, Scalar b) {
  return promoted(a) > promoted(b) ? promoted(a) : promoted(b);
}

/// "uint", "double".
constexpr std::string_view glsl_type(Scalar s) {
  constexpr std::string_view kNames[] = {"void", "bool", "int", "uint", "int64_t", "uint64_t", "float", "double"};
  return kNames[static_cast<int>(s)];
}

}  // namespace hw::shader
