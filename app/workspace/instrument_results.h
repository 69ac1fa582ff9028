// What the instruments of a training showed: gradients.csv, and two sections of report.json.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/instrument/instruments.h"

namespace hw::workspace {

/// A line for every look of the history (at most GradientRecorder::kMostLooks, evenly spaced) and everything that is
/// followed. What is not known is empty, what holds Inf or NaN is "inf"; numbers read back to the same bits.
std::string gradients_csv(const GradientHistory& history);
/// The verdicts, and the sizes at the last look.
nlohmann::ordered_json gradients_json(const InstrumentReadings& readings);
/// A verdict in words, with the ids of nodes.
std::string text_of(const GradientVerdict& verdict);

/// All readings, by value.
nlohmann::ordered_json instruments_json(const InstrumentReadings& readings);

}  // namespace hw::workspace
