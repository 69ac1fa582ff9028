// EvaluatedNode: the active node's tensors, computed forward without training: after each edit, or when asked.
#pragma once

#include "app/models/views/watched_view.h"
#include "engine/field/node_evaluator.h"

namespace hw::app {

/// In the mode that Evaluation says, with the run's newest weights, else the document's, else initial ones; weights are
/// not changed. GUI thread.
class EvaluatedNode : public WatchedView {
  Q_OBJECT

 public:
  EvaluatedNode(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~EvaluatedNode() override;

  /// Null while nothing was computed, hint() says why; and where no node is chosen, or a group.
  std::shared_ptr<const NodeInspection> inspection() const { return hidden_ ? nullptr : shown_; }
  /// It is of a newer graph than what the last run hands out, or there was no run.
  bool overtakesRun() const;

 protected:
  Plan plan() override;
  bool shows(const Node& node) const override;
  void draw() override;

 private:
  struct Built;
  void accept(std::shared_ptr<const Built> built);
  void hide();
  /// The graph, or what is asked of it, is another than that of the last run.
  void leaveRun();

  std::shared_ptr<const Built> built_;
  std::shared_ptr<const NodeInspection> shown_;
  bool hidden_ = false, sinceRun_ = false;
};

}  // namespace hw::app
