// Numbers in a sentence.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace hw {

/// Two digits, exponents without padding: "0.03", "3e-6", "1.2e5", "120", "0"; "Inf", "NaN".
inline std::string format_rounded(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char text[32];
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e4)) {
    std::snprintf(text, sizeof text, size < 99.5 ? "%.2g" : "%.0f", value);
    return text;
  }
  std::snprintf(text, sizeof text, "%.1e", value);
  const std::string all = text;
  const size_t e = all.find('e');
  std::string mantissa = all.substr(0, e);
  if (mantissa.ends_with(".0")) mantissa.resize(mantissa.size() - 2);
  return mantissa + "e" + std::to_string(std::stoi(all.substr(e + 1)));
}

/// Digits in threes, of a number that is not negative: "4,096".
inline std::string grouped(int64_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace hw
