#include "engine/expression/typed_param.h"

#include <cmath>
#include <limits>
#include <optional>

#include "engine/expression/calculation.h"

namespace hw {
namespace {

/// What rounding alone made of a whole number: 1.1*10 is 11.000000000000002.
double mended(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(whole) ? whole : value;
}

/// "[2*4, 8]" and "2*4, 8": a calculation each. Nothing: one of them is none.
std::optional<std::vector<double>> calculated_list(std::string_view text) {
  const auto trim = [](std::string_view t) {
    while (!t.empty() && t.front() == ' ') t.remove_prefix(1);
    while (!t.empty() && t.back() == ' ') t.remove_suffix(1);
    return t;
  };
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<double> values;
  int depth = 0;
  for (size_t begin = 0, i = 0; i <= text.size(); ++i) {
    if (i < text.size()) depth += (text[i] == '(') - (text[i] == ')');
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const auto value = expression::calculated(trim(text.substr(begin, i - begin)));
    if (!value) return std::nullopt;
    values.push_back(mended(*value));
    begin = i + 1;
  }
  return values;
}

}  // namespace

Result<ParamValue> parse_typed(const ParamDecl& param, std::string_view text, const ParamValue& now) {
  const auto plain = parse_param(param, text);
  const bool whole = param.type == ParamDecl::Type::integer;
  if (!plain && param.type == ParamDecl::Type::vector) {
    const auto list = calculated_list(text);
    return list ? check_param(param, *list) : plain;
  }
  if (plain || (!whole && param.type != ParamDecl::Type::real)) return plain;
  const auto* number = std::get_if<int64_t>(&now);
  const auto* real = std::get_if<double>(&now);
  const double value = number ? static_cast<double>(*number) : real ? *real : 0;
  const auto result = expression::calculated(text, value);
  return result ? check_param(param, whole ? mended(*result) : *result) : plain;
}

}  // namespace hw
