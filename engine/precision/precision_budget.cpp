#include "engine/precision/precision_budget.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "engine/core/codes.h"

namespace hw {

Result<PrecisionBudget> parse_precision_budget(const std::string& text) {
  const Error error{codes::bad_usage, text, "expected loss=SHARE or error=SHARE, a number from 0, or a percentage.",
                    "For example: loss=1% or error=1e-3"};
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return error;
  const std::string kind = text.substr(0, equals);
  std::string number = text.substr(equals + 1);
  PrecisionBudget budget;
  if (kind == "error") {
    budget.kind = PrecisionBudget::Kind::error;
  } else if (kind != "loss") {
    return error;
  }
  const bool percent = number.ends_with('%');
  if (percent) number.pop_back();
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), budget.limit);
  if (problem != std::errc() || end != number.data() + number.size() || !std::isfinite(budget.limit)) return error;
  if (budget.limit < 0 || std::signbit(budget.limit))
    return Error{codes::bad_usage, text, "a budget cannot be negative.", "For example: loss=1% or error=1e-3"};
  if (percent) budget.limit /= 100;
  return budget;
}

std::string to_string(const PrecisionBudget& budget) {
  char text[64];
  if (budget.kind == PrecisionBudget::Kind::loss) {
    std::snprintf(text, sizeof text, "loss at most +%.4g %%", 100 * budget.limit);
  } else {
    std::snprintf(text, sizeof text, "output error at most %.4g", budget.limit);
  }
  return text;
}

}  // namespace hw
