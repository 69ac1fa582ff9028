// What the user types into the field of a parameter: a value, or a calculation of one.
#pragma once

#include "engine/node/declaration.h"

namespace hw {

/// parse_param; for a number also a calculation ("2*64", "1e-3/2", "sqrt(2)"), or one relative to the value as it is
/// `now` ("+=8", "*=2"); for a vector a calculation of each number ("4, 8*28"). What comes out is checked as if it had
/// been typed. Error HW-P001.
Result<ParamValue> parse_typed(const ParamDecl& param, std::string_view text, const ParamValue& now);

}  // namespace hw
