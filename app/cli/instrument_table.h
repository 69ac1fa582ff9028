// What the instruments of a training showed: a table for a terminal, and JSON for report.json.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/instrument/instruments.h"

namespace hw::cli {

/// Wires and parameters; inside nodes only what underflows, overflows or is not finite; then the worst in words.
void print_instruments(const InstrumentReadings& readings);

/// All of them, by value.
nlohmann::ordered_json instruments_json(const InstrumentReadings& readings);

}  // namespace hw::cli
