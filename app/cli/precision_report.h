// What comparisons of precision print: sides in a table, changes in words, JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/check/what_if.h"

namespace hw::cli {

inline constexpr char kWhatIsCounted[] =
    "training bytes: parameters with masters, optimiser, activations and gradients, data, as planned for allocation; "
    "running bytes: parameters as stored, activations and data of evaluation mode";

/// Columns: loss, held-out loss, training bytes and their parts, running bytes, ms a step.
void print_sides(const std::vector<std::pair<std::string, WhatIfSide>>& sides);
/// "+1.2 %" of a ratio; "failed" where it is not finite.
std::string change_text(double ratio);
/// "−12 % ± 3 %", "−1 % ± 4 %: within noise".
std::string time_text(double ratio, double noise);
/// null where it is not finite.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json to_json(const PrecisionBytes& bytes);
nlohmann::ordered_json to_json(const WhatIfSide& side);
/// Error HW-C001 when an output would overwrite the input `file`.
Status check_other_file(const std::string& out, const std::string& file);

}  // namespace hw::cli
