// What train leaves in its folder: weights.safetensors, loss.csv, report.json.
#pragma once

#include <filesystem>

#include "app/cli/training.h"
#include "engine/run/train_settings.h"

namespace hw::cli {

/// Makes the folder and writes a file there, so that a training whose results cannot be kept fails before it begins.
/// Error HW-F002.
Status prepare_folder(const std::filesystem::path& folder);

struct TrainOutcome {
  std::string graph_file, device;
  const Graph& graph;
  std::string trainer;
  TrainSettings settings;
  const TrainingResult& result;
};

/// Mean of the last steps that the report averages over.
double mean_loss(const std::vector<float>& losses);
/// −10 log10 of the mean loss, when the loss is a mean squared error. Peak 1.
std::optional<double> psnr_of(const TrainOutcome& outcome);

/// Writes what can be written; returns what could not. After a failed run there are no weights: older ones in the
/// folder become weights.previous.safetensors, and the report says what failed.
std::vector<Error> write_results(const TrainOutcome& outcome, const std::filesystem::path& folder);

}  // namespace hw::cli
