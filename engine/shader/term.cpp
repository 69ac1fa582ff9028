#include "engine/shader/term.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace hw::shader {
namespace {

template <class T>
std::string shortest(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string s(text, end);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

std::string_view suffix(Scalar type) {
  switch (type) {
    case Scalar::u32:
      return "u";
    case Scalar::i64:
      return "l";
    case Scalar::u64:
      return "ul";
    case Scalar::f64:
      return "lf";
    default:
      return "";
  }
}

std::string float_text(double value, Scalar type) {
  if (type == Scalar::f64 && std::isfinite(value)) return shortest(value) + "lf";
  if (type == Scalar::f64) return "double(" + float_text(value, Scalar::f32) + ")";
  const float narrow = static_cast<float>(value);
  if (std::isnan(narrow)) return "uintBitsToFloat(0x7FC00000u)";
  if (std::isinf(narrow)) return narrow < 0 ? "uintBitsToFloat(0xFF800000u)" : "uintBitsToFloat(0x7F800000u)";
  return shortest(narrow);
}

std::optional<Term> whole_literal(std::string digits, bool hex) {
  std::string ends;
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos) {
    ends += digits.back() | 0x20;
    digits.pop_back();
  }
  uint64_t value = 0;
  const char* first = digits.data() + (hex ? 2 : 0);
  const auto [end, error] = std::from_chars(first, digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (!hex && digits.size() > 1 && digits[0] == '0') return std::nullopt;  // octal
  const bool is_unsigned = ends.find('u') != std::string::npos, wide = ends.find('l') != std::string::npos;
  const auto fits = [&](auto limit) { return value <= static_cast<uint64_t>(limit); };
  Scalar type = Scalar::u64;
  if (!wide && !is_unsigned && fits(std::numeric_limits<int32_t>::max()))
    type = Scalar::i32;
  else if (!wide && (is_unsigned || hex) && fits(std::numeric_limits<uint32_t>::max()))
    type = Scalar::u32;
  else if (!is_unsigned && fits(std::numeric_limits<int64_t>::max()))
    type = Scalar::i64;
  Term t{digits + std::string(suffix(type)), type};
  if (value < uint64_t{1} << 53) t.value = static_cast<double>(value);
  return t;
}

}  // namespace

std::optional<Term> literal_term(const std::string& text) {
  const bool hex = text.starts_with("0x");
  if (hex || text.find_first_of(".eE") == std::string::npos) return whole_literal(text, hex);
  const bool single = text.back() == 'f';
  const std::string digits = single ? text.substr(0, text.size() - 1) : text;
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (*end) return std::nullopt;
  if (!single) return Term{digits + "lf", Scalar::f64, kPrimaryLevel, value};
  // A reader of GLSL may round to f64 first.
  const float exact = std::strtof(digits.c_str(), nullptr);
  if (static_cast<float>(value) == exact) return Term{digits, Scalar::f32, kPrimaryLevel, exact};
  return constant_term(exact, Scalar::f32);
}

Term constant_term(double value, Scalar type) {
  const int level = std::signbit(value) ? kPrefixLevel : kPrimaryLevel;
  if (is_float(type)) {
    const double kept = type == Scalar::f32 ? static_cast<float>(value) : value;
    return {float_text(value, type), type, level, kept};
  }
  return {std::to_string(static_cast<int64_t>(value)) + std::string(suffix(type)), type, level, value};
}

Term converted(const Term& term, Scalar type) {
  if (term.type == type) return term;
  if (type == Scalar::boolean) {
    const Term zero = constant_term(0, term.type);
    return {term.at(6) + " != " + zero.text, type, 5};
  }
  const bool keeps = term.value && term.type != Scalar::boolean && (is_float(type) || !is_float(term.type)) &&
                     !(std::signbit(*term.value) && (type == Scalar::u32 || type == Scalar::u64));
  if (keeps) return constant_term(*term.value, type);
  return {std::string(glsl_type(type)) + "(" + term.text + ")", type};
}

}  // namespace hw::shader
