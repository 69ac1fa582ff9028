// ParamValue: the value of a node's parameter as it stands in a graph file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hw {

using ParamVariant = std::variant<bool, int64_t, double, std::string, std::vector<double>>;

/// Whole numbers, reals, switches, text (also: choices, dtypes, paths), short real vectors. std::visit, std::get and
/// their like take it as the variant that it is.
struct ParamValue : ParamVariant {
  using ParamVariant::ParamVariant;
  ParamValue() = default;
  /// Where memory is lacking it throws, and no more: libstdc++ 12 destroys what is not there when copying a variant of
  /// strings and vectors throws.
  ParamValue(const ParamValue& other)
      : ParamVariant(std::visit(
            [](const auto& value) { return ParamVariant(std::in_place_type<std::decay_t<decltype(value)>>, value); },
            static_cast<const ParamVariant&>(other))) {}
  ParamValue(ParamValue&&) noexcept = default;
  ParamValue& operator=(const ParamValue&) = default;
  ParamValue& operator=(ParamValue&&) noexcept = default;
  ~ParamValue() = default;
};

/// By the parameter's id.
using ParamMap = std::map<std::string, ParamValue, std::less<>>;

/// "16", "0.01", "true", "relu", "[0, 1]": as shown and as given to `--set`.
std::string to_string(const ParamValue& value);

}  // namespace hw
