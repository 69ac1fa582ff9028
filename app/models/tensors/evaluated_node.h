// EvaluatedNode: the active node's tensors, computed forward without training: after each edit, or when asked.
#pragma once

#include "app/models/tensors/content_cache.h"
#include "app/models/tensors/live_evaluator.h"
#include "app/models/watched/watched_view.h"

namespace hw::app {

/// In the mode that Evaluation says, with the run's newest weights, else the document's, else initial ones; weights are
/// not changed. Of the instance of a group: what it gives. Results are kept by content (ConeKeys): what was computed
/// before is shown without running again, after an undo say. GUI thread.
class EvaluatedNode : public WatchedView {
  Q_OBJECT

 public:
  EvaluatedNode(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~EvaluatedNode() override;

  /// Null while nothing was computed, hint() says why; and where no node is chosen.
  std::shared_ptr<const NodeInspection> inspection() const { return hidden_ ? nullptr : shown_; }
  /// It is of a newer graph than what the last run hands out, or there was no run; or it is of a group, of which runs
  /// hand out nothing.
  bool overtakesRun() const;
  /// How often something was computed, and not found among what was kept.
  int evaluations() const { return evaluations_; }

 protected:
  Plan plan() override;
  bool shows(const Node& node) const override;
  void draw() override;
  bool known() override;

 private:
  struct Planned {
    std::string node;  // "": nothing is to be evaluated
    EvaluationRequest request;
  };
  /// What is to be evaluated now, with what; and why nothing is.
  std::pair<std::shared_ptr<const Planned>, QString> planned();
  EvaluationRequest with_weights(const Planned& planned);
  void accept(std::shared_ptr<const Planned> planned);
  void hide();
  /// The graph, or the request, differs from that of the last run.
  void leaveRun();

  ContentCache<NodeInspection> kept_;
  LiveEvaluator evaluator_;  // worker thread only
  std::shared_ptr<const Planned> planned_;
  std::shared_ptr<const NodeInspection> shown_;
  std::atomic<int> evaluations_{0};
  bool hidden_ = false, sinceRun_ = false;
};

}  // namespace hw::app
