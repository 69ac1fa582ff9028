// Trains for a command: progress on a terminal; Ctrl-C stops and keeps.
#pragma once

#include <string>

#include "app/workspace/train.h"

namespace hw::cli {

using workspace::TrainingRequest;
using workspace::TrainingResult;

/// workspace::train_to_end with a line of progress; `interrupted` by Ctrl-C or SIGTERM.
TrainingResult train_to_end(TrainingRequest request);
/// The exit code of a run that did not fail: 0, or that of the signal that ended it.
int exit_of(const TrainingResult& result);

/// "1.23 M", "456 k", "78".
std::string short_count(double value);

}  // namespace hw::cli
