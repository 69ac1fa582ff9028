// Colours of a field that cannot be shown.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "engine/core/codes.h"
#include "engine/core/result.h"

namespace hw {

inline size_t count_not_finite(std::span<const float> values) {
  return static_cast<size_t>(std::count_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); }));
}

/// HW-R003 at `where` when `bad` of a field's `all` values are NaN or infinite.
inline Status check_finite(size_t bad, size_t all, const std::string& where) {
  if (bad == 0) return ok();
  return Error{codes::not_finite, where,
               "the field is NaN or infinite in " + std::to_string(bad) + " of " + std::to_string(all) + " values.",
               "Train again from good weights."};
}

}  // namespace hw
