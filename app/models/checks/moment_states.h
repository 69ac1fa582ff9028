// What checks of the present graph begin with: the present weights and states.
#pragma once

#include <QString>

#include "app/document/document.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

struct MomentStates {
  std::map<std::string, Tensor> states;    // as in a Checkpoint: masters and the loss scale, too
  std::shared_ptr<const Weights> weights;  // null: initial ones, or `states`
  uint64_t updates = 0;                    // that have happened
  uint64_t batches = 0;                    // that they took
  QString words;                           // "after 40 steps", "loaded weights"
};
/// `trained`: the run's states, as RunModel::takeStates gives them; may be null. GUI thread.
MomentStates moment_states(const Document& document, const std::shared_ptr<const Checkpoint>& trained);

}  // namespace hw::app
