// SessionRequests: what a session's owner requested since its worker last took requests.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/graph/groups/moved_nodes.h"
#include "engine/graph/lower/lower.h"
#include "engine/instrument/instrument_pace.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw {

class TrainingWatch;

/// Filled by the owner's thread and taken whole by the worker's, under the session's mutex.
struct SessionRequests {
  struct Start {
    Graph graph;
    std::string device;
    uint64_t steps;
    bool paused;
    bool ends = false;  // where it begins
  };
  std::optional<Start> start;
  std::optional<Graph> graph;
  std::vector<MovedNodes> moved;  // on the way to that graph, in order
  std::optional<bool> paused;
  std::optional<std::string> inspect;
  std::optional<std::shared_ptr<const Weights>> weights;
  std::shared_ptr<const Checkpoint> checkpoint;  // to go on from
  std::vector<CheckpointSink> take_first;        // of what a later order forgets
  std::vector<CheckpointSink> take_never;        // of what lies between two orders to forget: there is nothing
  std::vector<CheckpointSink> take;
  std::optional<std::pair<uint64_t, CheckpointSink>> every;
  std::optional<std::shared_ptr<TrainingWatch>> watch;
  std::optional<std::optional<InstrumentSettings>> instruments;
  std::optional<GivenValues> given;
  bool reload = false, step_once = false, stop = false, reset = false;

  bool any() const {
    return start || graph || paused || inspect || weights || checkpoint || !take_first.empty() || !take_never.empty() ||
           !take.empty() || every || watch || instruments || given || reload || step_once || stop || reset;
  }
  /// For an order that cancels earlier ones: requests are not served in the order they came.
  void drop_orders() {
    start.reset();
    graph.reset();
    // What moved has moved: the graph of the order that comes knows the nodes by their new names.
    paused.reset();
    reload = step_once = stop = false;
  }
  /// For an order to forget: all that was asked for before it, but for checkpoints, which are still taken.
  void drop_all() {
    drop_orders();
    moved.clear();
    // What came after an order to forget is of a state that will never be.
    auto& to = reset || weights || checkpoint ? take_never : take_first;
    std::ranges::move(std::exchange(take, {}), std::back_inserter(to));
  }
};

}  // namespace hw
