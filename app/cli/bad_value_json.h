// A first bad value in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/train/bad_value.h"

namespace hw::cli {

/// JSON has no Inf and NaN: those become text.
nlohmann::ordered_json number_json(double value);

nlohmann::ordered_json to_json(const BadValue& b);

}  // namespace hw::cli
