// InspectedNode: which values of a run an inspected node shows, and copies of them. Single threaded, as the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/instrument/node_inspection.h"
#include "engine/plan/training_plan.h"

namespace hw {

class InspectedNode {
 public:
  /// `node`: an id; empty: nothing is inspected. `updates`: steps of the run write its parameters.
  InspectedNode(std::string node, bool updates) : node_(std::move(node)), updates_(updates) {}

  const std::string& node() const { return node_; }
  /// Another node: what was prepared is of no more use.
  void change(const std::string& node) { *this = InspectedNode(node, updates_); }
  /// What has to stay readable: its outputs and parameters with their gradients, in `plan.program`.
  std::vector<ValueId> kept(const TrainingPlan& plan) const;
  /// Before `step` of a run that updates: copies its parameters, and wires that are states, as the step reads them.
  void prepare(const TrainingPlan& plan, const States& states, uint64_t step);
  /// After `step`, the last one that ran on `gradients`, whose loss scale was `scale`. Null: no node is inspected, it
  /// is not part of the run, or a step that updates was not prepared for.
  Result<std::shared_ptr<const NodeInspection>> read(const TrainingPlan& plan, const Executable& gradients,
                                                     uint64_t step, double scale) const;

 private:
  struct Shown {
    std::string name;
    bool is_param;
    ValueId value;
  };
  /// Its outputs, then its parameters.
  std::vector<Shown> shown(const TrainingPlan& plan) const;
  Result<NodeInspection::Item> item_of(const TrainingPlan& plan, const Executable& gradients, const Shown& shown,
                                       double scale) const;

  std::string node_;
  bool updates_;
  std::optional<uint64_t> prepared_;      // step
  std::map<std::string, Tensor> states_;  // that it shows, before that step
};

}  // namespace hw
