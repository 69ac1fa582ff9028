// TopologicalOrder: an order in which no node depends on a later one, kept up to date wire by wire.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/graph/graph.h"

namespace hw {

/// Not thread safe. Source: Pearce and Kelly 2006, "A dynamic topological sort algorithm for directed acyclic graphs".
class TopologicalOrder {
 public:
  /// Everything anew. False: there is a cycle; nodes on it and behind it have no meaningful place.
  bool reset(const Graph& graph);
  /// After the wires into a node changed, or the node was added. Costs nothing where its sources come before it, else
  /// as much as the nodes between. False: the node depends on itself; the order means nothing until reset().
  bool update(const Graph& graph, const std::string& node);
  void remove(const std::string& node) { places_.erase(node); }

 private:
  /// The nodes that `start` leads to (or comes from), up to a place. False: `end` is among them.
  bool collect(const Graph& graph, const std::string& start, const std::string& end, std::vector<std::string>& found,
               bool forwards) const;
  std::unordered_map<std::string, int64_t> places_;
  /// Places a new node before all others where nothing leads to it, else behind them.
  void place(const Graph& graph, const std::string& node);
  int64_t first_ = 0, next_ = 0;  // the places in use: [first_, next_)
};

}  // namespace hw
