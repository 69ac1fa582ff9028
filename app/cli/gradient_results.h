// How large gradients and updates were over a training: gradients.csv, a section of report.json, and what is off.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/instrument/instruments.h"

namespace hw::cli {

/// A line for every look of the history (at most GradientRecorder::kMostLooks, evenly spaced) and everything that is
/// followed. What is not known is empty, what holds Inf or NaN is "inf"; numbers read back to the same bits.
std::string gradients_csv(const GradientHistory& history);

/// The verdicts, and the sizes at the last look.
nlohmann::ordered_json gradients_json(const InstrumentReadings& readings);

/// One line each; nothing where nothing is off.
void print_verdicts(const InstrumentReadings& readings);

}  // namespace hw::cli
