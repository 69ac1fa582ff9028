#include "engine/precision/change_text.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace hw {
namespace {

std::string fixed(double value, int digits) {
  char text[std::numeric_limits<double>::max_exponent10 + 8];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr};
}

}  // namespace

std::string change_text(double ratio, double noise) {
  if (!std::isfinite(ratio)) return "failed";
  const double percent = 100 * (ratio - 1), size = std::abs(percent);
  std::string text = (percent <= -0.005 ? "−" : "+") + fixed(size, size < 10 ? 2 : 1) + " %";  // no −0.00
  if (noise < 1) text += " ± " + fixed(100 * noise, 1) + " %";
  return text;
}

std::string change_text(const PairedTime& time) {
  return time.is_measured() ? change_text(time.ratio(), time.noise()) : "not measured";
}

}  // namespace hw
