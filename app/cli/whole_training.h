// What the checks that run a graph's whole training begin with: options, graph, weights.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/graph_input.h"
#include "app/cli/weights_choice.h"
#include "engine/plan/reduced_graph.h"

namespace hw::cli {

struct WholeTrainingOptions : GraphOptions {
  WholeTrainingOptions(uint64_t most_steps, int64_t most_samples) : steps(most_steps), samples(most_samples) {}

  WeightsChoice weights;
  uint64_t steps;
  int64_t samples;    // a step, at most
  int64_t seed = -1;  // negative: the Train node's
  bool whole = false;
};

/// GRAPH, --steps, --samples, --whole, --seed, --weights and --set, with the defaults that `options` holds.
void add_options(CLI::App& command, WholeTrainingOptions& options, const std::string& samples);

struct WholeTraining {
  ReducedGraph reduced;
  std::shared_ptr<FileAssets> assets;
  std::shared_ptr<const Weights> weights;  // null: initial ones
};

/// Errors: those of load_trainable and load_weights_beside.
Result<WholeTraining> whole_training(const WholeTrainingOptions& options);

}  // namespace hw::cli
