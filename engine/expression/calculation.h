// A calculation that the user types where a number is wanted.
#pragma once

#include <optional>
#include <string_view>

namespace hw::expression {

/// The value of an expression of the language whose names are pi and e: "2*64", "sqrt(2)", "2^16", "pi/4". Nothing: it
/// is none. It may be NaN or infinite.
std::optional<double> calculated(std::string_view text);
/// The same, or relative to `now` where it begins with += -= *= or /=: "+=8".
std::optional<double> calculated(std::string_view text, double now);

}  // namespace hw::expression
