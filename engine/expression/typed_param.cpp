#include "engine/expression/typed_param.h"

#include <cmath>
#include <limits>

#include "engine/expression/calculation.h"

namespace hw {
namespace {

/// What rounding alone made of a whole number: 1.1*10 is 11.000000000000002.
double mended(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(whole) ? whole : value;
}

}  // namespace

Result<ParamValue> parse_typed(const ParamDecl& param, std::string_view text, const ParamValue& now) {
  const auto plain = parse_param(param, text);
  const bool whole = param.type == ParamDecl::Type::integer;
  if (plain || (!whole && param.type != ParamDecl::Type::real)) return plain;
  const auto* number = std::get_if<int64_t>(&now);
  const auto* real = std::get_if<double>(&now);
  const double value = number ? static_cast<double>(*number) : real ? *real : 0;
  const auto result = expression::calculated(text, value);
  return result ? check_param(param, whole ? mended(*result) : *result) : plain;
}

}  // namespace hw
