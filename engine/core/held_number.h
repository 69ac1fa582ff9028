// What a dtype makes of one number: the rule by which constants, bounds and weights are checked where dtypes change.
#pragma once

#include <optional>
#include <string>

#include "engine/core/dtype.h"

namespace hw {

struct Unheld {
  enum class Loss : uint8_t {
    beyond,     // becomes Inf, NaN, or the end of a range of whole numbers
    vanishes,   // not 0, and becomes 0
    not_whole,  // a whole number that becomes another
  } loss;
  double value;    // what was given
  double there;    // what the dtype makes of it
  double nearest;  // the finite number, other than 0, of the dtype that is nearest to it
};

/// Nothing where `dtype` holds the number, but for the rounding that any fraction meets. NaN is held by every float.
std::optional<Unheld> unheld(double value, DType dtype);

/// "−3.40282e+38 is -inf in bf16; the nearest that bf16 holds is −3.38953e+38".
std::string to_string(const Unheld& unheld, DType dtype);

}  // namespace hw
