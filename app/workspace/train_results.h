// What a training leaves in its folder: weights.safetensors, loss.csv, report.json.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/workspace/train.h"
#include "engine/plan/train_settings.h"

namespace hw::workspace {

/// Makes the folder and writes a file there, so that a training whose results cannot be kept fails before it begins.
/// `option`: which names the folder, for the remedy. Error HW-F002.
Status prepare_folder(const std::filesystem::path& folder, const std::string& option = "");

/// How well a run did, and of what that was measured.
struct Psnr {
  std::optional<double> db;
  std::string of;  // what is compared with what, over what, with its peak; without `db`: why there is none
};

/// A run that ended, and what it was made from; `graph` and `result` are the caller's and outlive this.
struct TrainOutcome {
  std::string graph_file, device;
  const Graph& graph;
  std::string trainer;
  TrainSettings settings;
  const TrainingResult& result;
  Psnr psnr = {};
};

/// The format of numbers in the tables of a run: nine digits distinguish every f32 from every other.
std::string csv_number(double value);
/// Mean of the last steps that the report averages over; NaN of none.
double mean_loss(const std::vector<float>& losses);
/// "mean of the last 20 training steps".
std::string mean_loss_over(const std::vector<float>& losses);
/// "over all 10000 samples of the test split, in evaluation mode, measured after step 1600 of 1604".
std::string metrics_over(const RunSnapshot& last);
/// The PSNR of the first Image View's field against its picture; without one, that of the mean loss where that is a
/// mean squared error against colours, whose peak is known. Errors: those of the picture.
Result<Psnr> psnr_of(const TrainOutcome& outcome, const std::shared_ptr<Assets>& assets);

/// What a run left in its folder.
struct TrainFiles {
  std::vector<std::filesystem::path> written;
  std::vector<Error> unwritten;
  nlohmann::ordered_json report;  // what report.json holds
};

/// The results of another run in the folder are kept under other names, NAME.previous.ENDING or, where there are such
/// already, NAME.previous-2.ENDING and so on, all with one number: the new names. Error HW-F002.
Result<std::vector<std::string>> set_results_aside(const std::filesystem::path& folder);

/// Whether the folder has the results of a run that ended at `step`, written after `checkpoint`, its last.
bool has_results(const std::filesystem::path& folder, const std::filesystem::path& checkpoint, uint64_t step);

/// Writes what can be written, over what is there. A line a step in loss.csv: step, loss, learning rate, the loss scale
/// after it (1: none), whether it was left out, metrics by node where they were measured after it, training seconds so
/// far. Nothing where it is not known. After a failed run older weights in the folder are set aside, those before the
/// step that failed are written where there are any, and the report says what failed. What cannot be set aside is not
/// written over.
TrainFiles write_results(const TrainOutcome& outcome, const std::filesystem::path& folder);

}  // namespace hw::workspace
