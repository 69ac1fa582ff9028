#include "app/models/tensors/evaluated_node.h"

#include <utility>

#include "app/document/text.h"
#include "app/models/run/run_model.h"

namespace hw::app {

struct EvaluatedNode::Built {
  uint64_t seed = 0;
  std::shared_ptr<NodeEvaluator> evaluator;
  std::optional<Error> error;
};

EvaluatedNode::EvaluatedNode(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : WatchedView(document, run, std::move(assets), parent) {
  connect(&document, &Document::selectionChanged, this, &EvaluatedNode::hide);
  connect(this, &EvaluatedNode::hintChanged, this, &EvaluatedNode::hide);
  connect(&run, &RunModel::inspectionChanged, this, [this] { drawSoon_.start(); });
  connect(&run, &RunModel::stateChanged, this, [this] {
    if (!run_.running()) return;
    sinceRun_ = false;
    shown_.reset();
  });
  connect(&document, &Document::structureChanged, this, &EvaluatedNode::leaveRun);
  connect(run.evaluation(), &Evaluation::modeChanged, this, &EvaluatedNode::leaveRun);
  connect(run.evaluation(), &Evaluation::modeChanged, this, &EvaluatedNode::changed);
  connect(run.evaluation(), &Evaluation::asked, this, &EvaluatedNode::leaveRun);
}

void EvaluatedNode::leaveRun() {
  sinceRun_ = !run_.running();
}

bool EvaluatedNode::overtakesRun() const {
  return !run_.snapshot().inspection || (sinceRun_ && !older());
}

void EvaluatedNode::hide() {
  const QString active = document_.activePath();
  const bool none = !document_.flat().find(to_std(active));
  const bool other = older() && shown_ && to_q(shown_->node) != active;
  if (std::exchange(hidden_, none || other) != hidden_) Q_EMIT contentChanged();
}

EvaluatedNode::~EvaluatedNode() {
  end();
}

bool EvaluatedNode::shows(const Node&) const {
  return true;
}

EvaluatedNode::Plan EvaluatedNode::plan() {
  auto built = std::make_shared<Built>();
  const Graph& graph = document_.flat();
  const QString id = document_.activePath();
  const Node* node = graph.find(to_std(id));
  const Diagnostic* wrong = node ? document_.validator().blocking(graph, node->id, Pins::ignored) : nullptr;
  if (!node || wrong) {
    const Node* at = wrong ? graph.find(wrong->node) : nullptr;
    const QString reason = wrong ? sentence(wrong->reason) : QString();
    const QString hint = at ? to_q(display_name(*at)) + QStringLiteral(": ") + reason : reason;
    return {id, {}, [this, built, hint] {
              accept(built);
              setHint(hint);
            }};
  }
  built->seed = seed();
  return {id,
          [this, built, graph, id = node->id, assets = assets_, device = device(), mode = mode(),
           before = built_]() -> Accept {
            const Status made = [&]() -> Status {
              HW_TRY(std::shared_ptr<Device> on, make_device(device));
              HW_TRY(built->evaluator, NodeEvaluator::make(graph, id, *assets, std::move(on), mode));
              if (before && before->evaluator) built->evaluator->continue_from(*before->evaluator);
              return ok();
            }();
            if (!made) built->error = made.error();
            return [this, built] { accept(built); };
          },
          {}};
}

void EvaluatedNode::accept(std::shared_ptr<const Built> built) {
  built_ = std::move(built);
  if (shown_ && to_q(shown_->node) != document_.activePath()) shown_.reset();
  if (!built_->evaluator) shown_.reset();
  setHint(built_->error ? textOf(*built_->error) : QString());
  Q_EMIT contentChanged();
}

void EvaluatedNode::draw() {
  if (!overtakesRun() || !built_ || !built_->evaluator) return;
  startDrawing([this, built = built_, weights = weights()](const HandOver& handOver) -> Status {
    const auto found = built->evaluator->evaluate(weights.get(), built->seed, &cancel_);
    handOver([this, shown = found ? *found : nullptr] { shown_ = shown; });
    return found ? ok() : Status(found.error());
  });
}

}  // namespace hw::app
