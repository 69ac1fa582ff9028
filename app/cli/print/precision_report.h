// What comparisons of precision print: sides in a table, changes in words, JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/precision/what_if.h"

namespace hw::cli {

inline constexpr char kWhatIsCounted[] =
    "training bytes: parameters with masters, optimiser, activations and gradients, data, as planned for allocation; "
    "running bytes: parameters as stored, activations and data of evaluation mode";

/// Columns: loss, held-out loss, training bytes and their parts, running bytes, ms a step.
void print_sides(const std::vector<std::pair<std::string, WhatIfSide>>& sides);
/// Blanks in front; what is shown counts, not bytes.
std::string padded(const std::string& text, size_t width);
/// null where it is not finite.
nlohmann::ordered_json json_number(double value);
/// A ratio of times; null where none was measured.
nlohmann::ordered_json ratio_json(const PairedTime& time);
nlohmann::ordered_json to_json(const PrecisionBytes& bytes);
nlohmann::ordered_json to_json(const WhatIfSide& side);
/// Before long work whose result goes to `out`. Errors HW-C001: it is the input `file`; HW-F002: its folder cannot be
/// written to.
Status check_output(const std::string& out, const std::string& file);

}  // namespace hw::cli
