// What the checks that run a graph's whole training begin with: graph, weights, smaller where it may be.
#pragma once

#include "app/workspace/weights.h"
#include "engine/plan/reduced_graph.h"

namespace hw::workspace {

struct WholeTrainingRequest : GraphRequest {
  WholeTrainingRequest(uint64_t most_steps, int64_t most_samples) : steps(most_steps), samples(most_samples) {}

  WeightsChoice weights;
  uint64_t steps;
  int64_t samples;     // a step, at most
  int64_t seed = -1;   // negative: the Train node's
  bool whole = false;  // the graph as it is: all samples, tables of full size
};

struct WholeTraining {
  ReducedGraph reduced;
  std::shared_ptr<FileAssets> assets;
  std::shared_ptr<const Weights> weights;  // null: initial ones
};

/// Errors: those of open_trainable and load_weights_beside.
Result<WholeTraining> whole_training(const WholeTrainingRequest& request, Notes& notes);

}  // namespace hw::workspace
