// ParamValue: the value of a node's parameter as it stands in a graph file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace hw {

/// Whole numbers, reals, switches, text (also: choices, dtypes, paths), short real vectors.
using ParamValue = std::variant<bool, int64_t, double, std::string, std::vector<double>>;

/// By the parameter's id.
using ParamMap = std::map<std::string, ParamValue, std::less<>>;

/// "16", "0.01", "true", "relu", "[0, 1]": as shown and as given to `--set`.
std::string to_string(const ParamValue& value);

}  // namespace hw
