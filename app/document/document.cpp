#include "app/document/document.h"

#include <set>

#include "app/document/document_change.h"
#include "app/document/edit_command.h"
#include "app/document/policy_casts.h"
#include "app/document/text.h"
#include "app/document/weights_command.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/edits_apart.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/grouping.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/precision/remedy.h"

namespace hw::app {
namespace {

QStringList to_list(const std::set<std::string>& ids) {
  QStringList list;
  for (const std::string& id : ids) list.append(to_q(id));
  return list;
}

}  // namespace

Document::Document(QObject* parent) : QObject(parent) {
  undo_.setUndoLimit(0);
  connect(&undo_, &QUndoStack::cleanChanged, this, &Document::modifiedChanged);
  connect(&undo_, &QUndoStack::indexChanged, this, &Document::historyChanged);
  connect(this, &Document::historyChanged, this, &Document::undoTextChanged);
  connect(&selection_, &DocumentSelection::changed, this, &Document::selectionChanged);
  connect(&weights_, &DocumentWeights::trainedChanged, this, &Document::undoTextChanged);
  connect(&weights_, &DocumentWeights::modifiedChanged, this, &Document::modifiedChanged);
  connect(&weights_, &DocumentWeights::refused, this, &Document::refuse);
  connect(&weights_, &DocumentWeights::explained, this, &Document::explain);
  connect(&weights_, &DocumentWeights::loadReady, this, [this](const auto& names, const auto& tensors) {
    pushRewritten(tr("Load Weights"), {SetWeightNames{names}}, tensors);
  });
  validator_.set_devices(has_device, device_ids);
  validator_.reset(flat_.graph());
  shown_.open(graph_, {});
}

Document::~Document() {
  // The stack emits while it is cleared; no listener may be connected any more.
  undo_.disconnect(this);
}

QString Document::pathOf(const QString& node) const {
  return to_q(shown_.path_of(to_std(node)));
}

void Document::openGroup(const QString& path) {
  const std::string wanted = ShownGraph::nearest(graph_, to_std(path));
  if (wanted == shown_.path()) return;
  letGo();
  endMerge();
  clearSelection();
  Q_EMIT shownAboutToChange();
  shown_.open(graph_, wanted);
  Q_EMIT shownChanged();
}

void Document::reveal(const QString& path, bool selects) {
  const auto node = ShownGraph::node_at(graph_, to_std(path));
  if (!node) return;
  openGroup(to_q(node->group));
  const QString id = to_q(node->id);
  if (selects) selectNode(id);
  Q_EMIT revealRequested(id);
}

void Document::deleteSelection() {
  auto [what, edits] = selection_.deletion();
  push(tr("Delete %1").arg(what), std::move(edits));
}

bool Document::push(const QString& text, Edits edits, int mergeId, const MovedNodes& moved) {
  if (edits.empty()) return true;
  Q_EMIT stepComing(mergeId);
  const bool casts = asks_for_casts(graph_, shown_.graph(), edits);
  auto own = document_edits_at(shown_.scope(), std::move(edits));
  if (!own) {
    refuse(own.error());
    return false;
  }
  const MovedNodes in_document = moved_in_document(shown_.scope(), moved);
  return casts ? pushWithCasts(text, *own, mergeId, in_document)
               : pushExactly(text, *std::move(own), mergeId, in_document);
}

bool Document::pushDocument(const QString& text, Edits edits) {
  letGo();
  return asks_for_casts(graph_, shown_.graph(), edits) ? pushWithCasts(text, edits, -1, {})
                                                       : pushExactly(text, std::move(edits), -1, {});
}

bool Document::pushWithCasts(const QString& text, const Edits& edits, int mergeId, const MovedNodes& moved) {
  PrecisionPlan plan = with_policy(graph_, edits);
  if (!pushExactly(text, std::move(plan.edits), mergeId, moved)) return false;
  explain(tr("Policy: %1").arg(policy()), plan.notes);
  return true;
}

bool Document::mend(const Remedy& remedy) {
  const PrecisionPlan plan = remedy_plan(flat_.graph(), remedy);
  const QString label = to_q(remedy.label);
  if (!pushFlat(label, plan.edits)) return false;
  explain(label, plan.notes);
  // The one node that it adds, such as a Cast, comes into view where it is shown.
  const AddNode* added = nullptr;
  for (const Edit& edit : plan.edits) {
    const auto* one = std::get_if<AddNode>(&edit);
    if (one && added) return true;
    if (one) added = one;
  }
  if (added && NodePlace(graph_, added->node->id).scope().prefix == shown_.scope().prefix)
    reveal(to_q(added->node->id));
  return true;
}

bool Document::pushRewritten(const QString& text, const Edits& edits, std::shared_ptr<const Weights> weights) {
  Graph tried = graph_;  // a refused step leaves no trace in history
  if (const auto applied = apply_edits(tried, edits); !applied) {
    refuse(applied.error());
    return false;
  }
  letGo();
  undo_.beginMacro(text);
  const bool done = pushExactly(text, edits, -1, {});
  if (weights) undo_.push(new WeightsCommand(weights_, std::move(weights)));  // owns it
  undo_.endMacro();
  return done;
}

bool Document::pushFlat(const QString& text, const Edits& edits) {
  return pushOrRefuse(text, document_edits(graph_, edits));
}

bool Document::pushPlan(const QString& text, const Edits& edits) {
  return pushOrRefuse(text, document_edits_apart(graph_, edits));
}

bool Document::pushOrRefuse(const QString& text, const Result<Edits>& edits) {
  if (edits) return pushDocument(text, *edits);
  refuse(edits.error());
  return false;
}

void Document::explain(const QString& what, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  QStringList lines;
  for (const std::string& note : notes) lines.append(to_q(note));
  Q_EMIT explained(what, lines);
}

bool Document::pushExactly(const QString& text, Edits edits, int mergeId, const MovedNodes& moved) {
  if (edits.empty()) return true;
  if (!moved.empty() && !graph_.weight_names.empty()) {
    auto names = graph_.weight_names;
    move_keys(names, moved);
    edits.push_back(SetWeightNames{std::move(names)});
  }
  DocumentChange change(graph_, shown_, edits);
  auto inverse = apply_edits(graph_, edits);
  if (!inverse) {
    shown_.follow(graph_);  // what was applied and taken back may lie elsewhere in memory
    refuse(inverse.error());
    return false;
  }
  if (mergeId < 0) endMerge();
  const std::string path = shown_.path();
  follow(change, edits);  // before the stack emits signals: listeners read what is shown
  undo_.push(
      new EditCommand(*this, text, path, std::move(edits), std::move(*inverse), moved, mergeId, mergeRun_));  // owns it
  announce(change, moved);
  return true;
}

void Document::endMerge() {
  ++mergeRun_;
}

void Document::undo() {
  const int steps = undo_.index();
  letGo();
  endMerge();
  if (undo_.index() != steps) return;
  if (const Learnt* before = trainedSince()) undo_.push(new WeightsCommand(tr("Train"), weights_, *before));  // owns it
  undo_.undo();
}

const Learnt* Document::trainedSince() const {
  // A step of its own would cost the steps that can be made again: then the last one takes the training back with it,
  // and gives it again.
  if (!weights_.trained() || undo_.index() == 0 || undo_.canRedo()) return nullptr;
  const QUndoCommand* last = undo_.command(undo_.index() - 1);
  if (const auto* own = dynamic_cast<const WeightsCommand*>(last)) return &own->given();
  for (int i = 0; i < last->childCount(); ++i)
    if (const auto* part = dynamic_cast<const WeightsCommand*>(last->child(i))) return &part->given();
  return nullptr;
}

void Document::redo() {
  letGo();
  endMerge();
  undo_.redo();
}

void Document::reapply(const std::string& path, const Edits& edits, const MovedNodes& moved) {
  openGroup(to_q(path));
  DocumentChange change(graph_, shown_, edits);
  const auto done = apply_edits(graph_, edits);
  Q_ASSERT(done);  // history is only replayed on the graph it was recorded on
  if (!done) return refuse(done.error());
  follow(change, edits);
  announce(change, moved);
}

void Document::takeBack(const std::string& path, const Edits& inverse, const MovedNodes& moved) {
  openGroup(to_q(path));
  DocumentChange change(graph_, shown_, inverse);
  undo_edits(graph_, inverse);
  follow(change, inverse);
  announce(change, moved);
}

void Document::follow(DocumentChange& change, const Edits& edits) {
  change.elsewhere = shown_.follow(graph_);
  for (const std::string& path : validator_.update(flat_.graph(), flat_.update(graph_, edits)))
    if (auto id = shown_.shown_at(path)) change.validated.insert(*std::move(id));
}

void Document::announce(DocumentChange& change, const MovedNodes& moved) {
  if (change.elsewhere) {
    clearSelection();
    Q_EMIT shownAboutToChange();
    Q_EMIT shownChanged();
  } else {
    change.end(shown_);
  }
  const QStringList gone = to_list(change.removed);
  if (!gone.isEmpty()) {
    Q_EMIT nodesRemoved(gone);
    selection_.forget(gone);
  }
  if (!change.added.empty()) Q_EMIT nodesAdded(to_list(change.added));
  if (!change.changed.empty()) Q_EMIT nodesChanged(to_list(change.changed));
  if (!change.wired.empty()) Q_EMIT linksChanged(to_list(change.wired));
  if (change.frames) {
    Q_EMIT framesChanged();
    selection_.forgetFrames();
  }
  if (!change.wired.empty()) selection_.forgetLinks();
  Q_EMIT validationChanged(to_list(change.validated));
  if (change.policy) Q_EMIT policyChanged();
  if (!moved.empty()) {
    weights_.move(moved);
    Q_EMIT nodesMoved(moved);
  }
  if (change.structure) {
    Q_EMIT structureChanged();
    weights_.fitAgain();
  }
  if (change.was_empty != graph_.nodes().empty()) Q_EMIT emptyChanged();
}

bool Document::modified() const {
  return edited() || weights_.modified();
}

QString Document::policy() const {
  const QString policy = to_q(name(graph_.precision.policy));
  return graph_.precision.policy == Policy::autocast ? policy + QLatin1Char(' ') + to_q(name(graph_.precision.low))
                                                     : policy;
}

void Document::setPolicy(const QString& policy) {
  const auto chosen = policy_from_name(to_std(policy.section(QLatin1Char(' '), 0, 0)));
  const auto low = dtype_from_name(to_std(policy.section(QLatin1Char(' '), 1)));
  if (!chosen || policy == this->policy()) return;
  push(tr("Policy: %1").arg(policy), {SetPolicy{{*chosen, low.value_or(graph_.precision.low)}}});
}

bool Document::canUndo() const {
  return undo_.canUndo();
}

bool Document::canRedo() const {
  return undo_.canRedo();
}

QString Document::undoText() const {
  return trainedSince() ? tr("Train") : undo_.undoText();
}

QString Document::redoText() const {
  return undo_.redoText();
}

}  // namespace hw::app
