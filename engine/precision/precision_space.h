// PrecisionSpace: all the precisions that a plan may choose for a graph that trains.
#pragma once

#include "engine/graph/precision/choose_precision.h"

namespace hw {

/// Nodes whose precision is chosen together: one node, or in a large graph all of one type.
struct PrecisionGroup {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<NodePrecision> levels;  // the first: full precision, f32 or what the node has where that is wider
};

/// One choice: a level for each group, and whether the optimiser keeps masters of narrow weights. Where a dtype has
/// less range than f32 the loss is scaled, dynamically: gradients would underflow.
struct PrecisionConfig {
  std::vector<size_t> levels;
  bool pure = false;
  auto operator<=>(const PrecisionConfig&) const = default;
};

class PrecisionSpace {
 public:
  /// The space of the cone of the Train node, but for the data: sources without weights. `with_training`: masters and
  /// loss scaling are chosen, too, else they stay as the graph has them. Error HW-R002: no node there has a dtype that
  /// could be chosen.
  static Result<PrecisionSpace> make(const Graph& graph, const std::string& trainer, bool with_training);

  const std::vector<PrecisionGroup>& groups() const { return groups_; }
  PrecisionConfig full() const;
  /// What the (first) node of a group has now.
  size_t level_now(size_t group) const { return now_[group]; }
  /// Every config, full() first; some may not lower.
  std::vector<PrecisionConfig> all() const;
  /// From the graph as it is.
  PrecisionPlan plan(const PrecisionConfig& config) const;
  /// "encoder f16, mlp f32; f32 masters".
  std::string text(const PrecisionConfig& config) const;
  /// Whether every value that `a` can hold, `b` can hold too.
  bool is_within(const PrecisionConfig& a, const PrecisionConfig& b) const;

 private:
  PrecisionSpace(const Graph& graph, std::string trainer) : graph_(graph), trainer_(std::move(trainer)) {}
  size_t count() const;
  bool any(const PrecisionConfig& config, bool (*has)(DType)) const;
  void merge_types();
  void find_present();
  Graph graph_;
  std::string trainer_;
  bool with_training_ = true, pure_now_ = false;
  std::vector<PrecisionGroup> groups_;
  std::vector<size_t> now_;
};

}  // namespace hw
