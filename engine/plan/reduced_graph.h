// A graph made small for a check that costs many forward passes.
#pragma once

#include "engine/graph/graph.h"

namespace hw {

/// One parameter that was made smaller.
struct Reduction {
  std::string node, param;
  int64_t from = 0, to = 0;
};

struct ReducedGraph {
  Graph graph;
  std::vector<Reduction> reductions;
};

/// Source nodes draw at most `samples` samples a step (parameters declared with batch()). `sizes`: what is declared
/// with checked_with(), such as the entries of a table, is at most that. Weights of the whole graph need not fit then.
ReducedGraph reduce_graph(const Graph& graph, int64_t samples, bool sizes);

/// The size that the graph declares: `check_samples` of its Train node. Errors: those of find_trainer.
Result<int64_t> declared_samples(const Graph& graph);

}  // namespace hw
