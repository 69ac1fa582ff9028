// ConeKeys: keys of what nodes compute: equal where the nodes before them, wires, parameters and inputs are.
#pragma once

#include <QByteArray>
#include <QHash>

#include "app/models/run/given_inputs.h"
#include "engine/graph/graph.h"

namespace hw::app {

/// What an evaluation is made of beside the graph.
struct EvaluationInputs {
  std::string device;
  bool training = false;  // ForwardMode
  uint64_t seed = 0, step = 0;
  uint64_t weights = 0;                      // version of the weights: WatchedView::weightsVersion
  std::shared_ptr<const GivenInputs> given;  // never null
  uint64_t files = 0;                        // counts changes of the files that nodes name
};

/// The keys of one flat graph, which outlives it. Names, places and looks of nodes do not count; ids do: weights and
/// random streams go by them. Weights count where the cone has any. Each node is visited once. One thread.
class ConeKeys {
 public:
  ConeKeys(const Graph& flat, EvaluationInputs inputs);
  /// The key of a node, or of the instance of a group, by its path.
  QByteArray of(const std::string& path);
  /// The key of what runs, whatever the weights, the seed and the batch are.
  QByteArray program_of(const std::string& path);
  /// All nodes that were visited.
  std::vector<std::string> nodes() const;
  /// Whether what is before the node, or itself, has weights.
  bool has_weights(const std::string& path);

 private:
  struct Cone {
    QByteArray key;
    bool has_weights = false;
  };
  const Cone& cone(const std::string& node);
  Cone look(const Node& node) const;
  /// The cone of several nodes together: those that an instance gives its outputs by.
  Cone together(const std::string& path);

  const Graph& flat_;
  const EvaluationInputs inputs_;
  QHash<QString, Cone> known_;
};

}  // namespace hw::app
