#include "app/models/tensors/evaluated_node.h"

#include <utility>

#include "app/document/text.h"
#include "app/models/run/run_model.h"

namespace hw::app {
namespace {

constexpr size_t kMostKept = size_t{256} << 20;  // bytes

size_t bytes_of(const NodeInspection& inspection) {
  size_t bytes = sizeof(NodeInspection);
  for (const NodeInspection::Item& item : inspection.items) bytes += item.value.empty() ? 0 : item.value.bytes();
  return bytes;
}

}  // namespace

EvaluatedNode::EvaluatedNode(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : WatchedView(document, run, assets, parent), kept_(kMostKept), evaluator_(assets) {
  connect(&document, &Document::selectionChanged, this, &EvaluatedNode::hide);
  connect(&document, &Document::selectionChanged, this, [this] {
    const QString active = document_.activePath();
    if (!active.isEmpty() && !document_.flat().find(to_std(active))) changed();  // a group
  });
  connect(this, &EvaluatedNode::hintChanged, this, &EvaluatedNode::hide);
  connect(&run, &RunModel::inspectionChanged, this, [this] { drawSoon_.start(); });
  connect(&run, &RunModel::stateChanged, this, [this] {
    if (!run_.running()) return;
    sinceRun_ = false;
    shown_.reset();
  });
  connect(&document, &Document::structureChanged, this, &EvaluatedNode::leaveRun);
  for (const auto change : {&Evaluation::modeChanged, &Evaluation::inputsChanged}) {
    connect(run.evaluation(), change, this, &EvaluatedNode::leaveRun);
    connect(run.evaluation(), change, this, &EvaluatedNode::changed);
  }
  connect(run.evaluation(), &Evaluation::asked, this, &EvaluatedNode::leaveRun);
}

void EvaluatedNode::leaveRun() {
  sinceRun_ = !run_.running();
}

bool EvaluatedNode::overtakesRun() const {
  const auto& of_run = run_.snapshot().inspection;
  const std::string active = to_std(document_.activePath());
  const bool is_group = !active.empty() && !document_.flat().find(active);
  return is_group || !of_run || (sinceRun_ && !older());
}

void EvaluatedNode::hide() {
  const QString active = document_.activePath();
  const bool none = active.isEmpty() || tensors_of(document_.flat(), to_std(active)).wires.empty();
  const bool other = older() && shown_ && to_q(shown_->node) != active;
  if (std::exchange(hidden_, none || other) != hidden_) Q_EMIT contentChanged();
}

EvaluatedNode::~EvaluatedNode() {
  end();
}

bool EvaluatedNode::shows(const Node&) const {
  return true;
}

std::pair<std::shared_ptr<const EvaluatedNode::Planned>, QString> EvaluatedNode::planned() {
  auto planned = std::make_shared<Planned>();
  const Graph& graph = document_.flat();
  const NodeTensors tensors = tensors_of(graph, to_std(document_.activePath()));
  const Diagnostic* wrong = nullptr;
  if (graph.find(tensors.node)) wrong = document_.validator().blocking(graph, tensors.node, Pins::ignored);
  for (const SocketRef& wire : tensors.wires)
    if (!wrong) wrong = document_.validator().blocking(graph, wire.node, Pins::ignored);
  if (wrong) {
    const Node* at = graph.find(wrong->node);
    const QString reason = sentence(wrong->reason);
    return {planned, at ? to_q(display_name(*at)) + QStringLiteral(": ") + reason : reason};
  }
  if (tensors.wires.empty()) return {planned, tensors.node.empty() ? QString() : tr("It has no tensors to show.")};
  planned->node = tensors.node;
  planned->request.graph = std::make_shared<const Graph>(graph);
  planned->request.inputs = {
      device(), mode() == ForwardMode::training, seed(), static_cast<uint64_t>(run_.evaluation()->batch()),
      0,        run_.evaluation()->given(),      files()};
  return {planned, {}};
}

EvaluatedNode::Plan EvaluatedNode::plan() {
  return {document_.activePath(), {}, [this, made = planned()] {
            accept(made.first);
            setHint(made.second);
          }};
}

EvaluationRequest EvaluatedNode::with_weights(const Planned& planned) {
  EvaluationRequest request = planned.request;
  request.weights = weights();
  request.inputs.weights = weightsVersion();
  return request;
}

bool EvaluatedNode::known() {
  const auto planned = this->planned().first;
  if (planned->node.empty()) return false;
  return kept_.find(ConeKeys(*planned->request.graph, with_weights(*planned).inputs).of(planned->node)) != nullptr;
}

void EvaluatedNode::accept(std::shared_ptr<const Planned> planned) {
  planned_ = std::move(planned);
  if (shown_ && to_q(shown_->node) != document_.activePath()) shown_.reset();
  if (planned_->node.empty()) shown_.reset();
  Q_EMIT contentChanged();
}

void EvaluatedNode::draw() {
  if (!overtakesRun() || !planned_ || planned_->node.empty()) return;
  startDrawing([this, planned = planned_, request = with_weights(*planned_)](const HandOver& handOver) -> Status {
    const QByteArray key = ConeKeys(*request.graph, request.inputs).of(planned->node);
    std::shared_ptr<const NodeInspection> shown = kept_.find(key);
    Status status = ok();
    if (!shown) {
      const auto found = evaluator_.evaluate(request, {planned->node}, &cancel_);
      if (found) {
        ++evaluations_;
        shown = found->front();
        kept_.put(key, shown, bytes_of(*shown));
      } else {
        status = found.error();
      }
    }
    handOver([this, shown] {
      shown_ = shown;
      if (shown && shown->batches > 0) run_.evaluation()->setBatches(shown->batches);
    });
    return status;
  });
}

}  // namespace hw::app
