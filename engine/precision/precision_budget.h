// What a precision plan may cost, as the user writes it.
#pragma once

#include <cstdint>

#include "engine/core/result.h"

namespace hw {

struct PrecisionBudget {
  enum class Kind : uint8_t {
    loss,  // rise of the held-out loss after training, relative to full precision
    error  // relative error of the outputs, with weights trained in full precision
  } kind = Kind::loss;
  double limit = 0.01;
};

/// "loss=1%", "loss=0.01", "error=1e-3". Error HW-C001, also for a negative limit.
Result<PrecisionBudget> parse_precision_budget(const std::string& text);
/// "loss at most +1 %", "output error at most 0.001".
std::string to_string(const PrecisionBudget& budget);

}  // namespace hw
