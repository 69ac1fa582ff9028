// The contents of a snapshot of a run as text; each "" where nothing is known yet.
#pragma once

#include <QString>

#include "engine/graph/graph.h"
#include "engine/train/run_snapshot.h"

namespace hw::app {

/// "Training", "Stopped": idle after a run, which has done steps, is not as before it.
QString state_text(RunState state, bool started);
/// "Ready, with weights; 2 parameters have none": those that loaded weights do not have.
QString with_weights_text(size_t lacking);
/// "Ready, saved at step 10": of the optimiser's state of loaded weights. `modified`: they are not those of the file.
QString with_states_text(uint64_t step, bool modified);
/// The training loss of the last step.
QString loss_text(const RunSnapshot& run);
/// "Accuracy 97.80 %  at step 1600": each metric by its node's name in `graph`.
QString metrics_text(const RunSnapshot& run, const Graph& graph);
/// Over what the metrics are, and when they were measured.
QString metrics_meaning(const RunSnapshot& run);
/// "3.2 k samples/s", while it runs.
QString rate_text(const RunSnapshot& run);
/// Training time so far.
QString elapsed_text(const RunSnapshot& run);
/// Until all steps are done; `rate`: steps a second, 0: not known.
QString time_left_text(const RunSnapshot& run, double rate);
/// The learning rate of the next step; a run that failed has none.
QString learning_rate_text(const RunSnapshot& run);
/// "512 MiB".
QString bytes_text(size_t bytes);

}  // namespace hw::app
