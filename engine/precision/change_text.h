// A ratio as a change in percent, as users read it.
#pragma once

#include <string>

#include "engine/precision/paired_time.h"

namespace hw {

/// "+1.20 %", "−12.0 % ± 3.0 %" of a ratio; "failed" where it is not finite. The same in every locale. `noise`: half
/// the width of what the ratio may be; not shown from 1 on, where it is not known.
std::string change_text(double ratio, double noise = 1);

/// The same of a time; "not measured" where no pair was timed.
std::string change_text(const PairedTime& time);

}  // namespace hw
