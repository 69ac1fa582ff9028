#include "app/models/problems/problems_model.h"

#include <algorithm>

#include "app/document/node_title.h"
#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "app/workspace/device_choice.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/check/missing_operators.h"
#include "engine/graph/groups/scope.h"
#include "engine/io/asset/asset_refs.h"

namespace hw::app {
namespace {

bool same_row(const Diagnostic& a, const Diagnostic& b) {
  if (a.remedies.size() != b.remedies.size()) return false;
  for (size_t i = 0; i < a.remedies.size(); ++i) {
    if (a.remedies[i].label != b.remedies[i].label) return false;
  }
  return std::tie(a.code, a.severity, a.node, a.socket, a.reason, a.expected, a.got) ==
         std::tie(b.code, b.severity, b.node, b.socket, b.reason, b.expected, b.got);
}

}  // namespace

ProblemsModel::ProblemsModel(Document& document, QObject* parent) : QAbstractListModel(parent), document_(document) {
  coalesce_.setSingleShot(true);
  coalesce_.setInterval(0);
  connect(&coalesce_, &QTimer::timeout, this, &ProblemsModel::refresh);
  const auto later = [this] { coalesce_.start(); };
  connect(&document, &Document::validationChanged, this, later);
  connect(&document, &Document::nodesChanged, this, later);  // labels are shown
  connect(document.weights(), &DocumentWeights::problemsChanged, this, later);
  connect(&document, &Document::reset, this, [this] {
    runError_.reset();
    findings_.clear();
    notes_.clear();
    asked_.clear();
    current_ = -1;
    refresh();
    Q_EMIT currentChanged();
  });
  refresh();
}

void ProblemsModel::refresh() {
  coalesce_.stop();
  std::vector<Diagnostic> now = merge_missing_operators(document_.flat(), document_.validator().all());
  std::ranges::move(check_instances(document_.graph()), std::back_inserter(now));
  const std::vector<Diagnostic>& weights = document_.weights()->problems();
  now.insert(now.begin(), weights.begin(), weights.end());
  now.insert(now.begin(), findings_.begin(), findings_.end());
  now.insert(now.end(), notes_.begin(), notes_.end());
  // A missing file that stopped the run is said once, with its remedy.
  const auto said = [this](const Diagnostic& d) { return d.code == runError_->code && d.node == runError_->node; };
  if (runError_ && std::none_of(findings_.begin(), findings_.end(), said)) now.insert(now.begin(), *runError_);
  std::ranges::stable_sort(now, {}, &Diagnostic::severity);
  const bool same = now.size() == rows_.size() && std::equal(now.begin(), now.end(), rows_.begin(), same_row);
  if (same) {
    rows_ = std::move(now);  // the remedies' edits may have changed
    if (!rows_.empty()) Q_EMIT dataChanged(index(0), index(count() - 1), {NodeTitleRole});
    return;
  }
  beginResetModel();
  rows_ = std::move(now);
  errors_ = warnings_ = 0;
  for (const Diagnostic& d : rows_) {
    errors_ += d.severity == Severity::error;
    warnings_ += d.severity == Severity::warning;
  }
  endResetModel();
  if (current_ >= count()) {
    current_ = -1;
    Q_EMIT currentChanged();
  }
  Q_EMIT countChanged();
  QStringList refused;
  for (const Diagnostic& d : rows_) {
    const QString file = to_q(d.got);
    if (d.code != codes::asset_refused || file.isEmpty() || asked_.contains(file)) continue;
    asked_.insert(file);
    refused.append(file);
  }
  if (!refused.isEmpty()) Q_EMIT readingAsked(refused);
}

void ProblemsModel::allowReading(const QStringList& files) {
  for (const QString& file : files)
    if (asked_.contains(file)) document_.allow(file);  // renews the rows
}

void ProblemsModel::setRunError(const Error& error) {
  std::optional<Diagnostic> next;
  if (!error.code.empty()) {
    next.emplace();
    next->code = error.code;
    next->reason = error.reason + (error.remedy.empty() ? "" : " " + error.remedy);
    if (error.code == codes::not_finite)
      next->remedies.push_back({tr("Show Where It Starts").toStdString(), {}, Remedy::Kind::other, DType::f32});
    const size_t dot = error.where.find('.');
    const std::string node = error.where.substr(0, dot);
    if (document_.flat().find(node)) {
      next->node = node;
      if (dot != std::string::npos) next->socket = error.where.substr(dot + 1);
    } else if (!error.where.empty()) {
      next->reason = error.where + ": " + next->reason;
    }
    // The validator says the same already, with remedies.
    for (const Diagnostic& d : document_.validator().all()) {
      if (d.code == next->code && d.node == next->node && d.socket == next->socket) return;
    }
  }
  if (!next && !runError_) return;
  if (next && runError_ && same_row(*next, *runError_)) return;
  runError_ = std::move(next);
  refresh();
}

void ProblemsModel::setFindings(const std::vector<Diagnostic>& problems) {
  findings_ = problems;
  refresh();
}

void ProblemsModel::setNotes(const std::vector<std::string>& notes) {
  notes_.clear();
  for (const std::string& note : notes) {
    Diagnostic d;
    d.code = codes::unsupported;
    d.severity = Severity::info;
    d.reason = note;
    notes_.push_back(std::move(d));
  }
  refresh();
}

void ProblemsModel::reveal(int row) {
  if (row < 0 || row >= count()) return;
  current_ = row;
  Q_EMIT currentChanged();
  const QString node = to_q(rows_[static_cast<size_t>(row)].node);
  if (!node.isEmpty()) document_.reveal(node);
}

void ProblemsModel::revealNext(int step) {
  if (count() == 0) return;
  const int from = current_ < 0 ? (step > 0 ? -1 : 0) : current_;
  reveal(((from + step) % count() + count()) % count());
}

void ProblemsModel::apply(int row, int remedy) {
  if (row < 0 || row >= count()) return;
  const std::vector<Remedy>& remedies = rows_[static_cast<size_t>(row)].remedies;
  if (remedy < 0 || remedy >= static_cast<int>(remedies.size())) return;
  const Remedy chosen = remedies[static_cast<size_t>(remedy)];  // the push renews the rows
  if (chosen.kind == Remedy::Kind::other && chosen.edits.empty()) {
    const Diagnostic& d = rows_[static_cast<size_t>(row)];
    if (d.code == codes::not_finite) return void(Q_EMIT badValueWanted());
    if (d.code == codes::asset_refused && remedy == 0) return document_.allow(to_q(d.got));
    if (d.code == codes::weights_mismatch && remedy == 0) return void(Q_EMIT weightMapWanted());
    if (d.code == codes::weights_mismatch) return document_.weights()->takePartial();
    if (d.code == codes::missing_input) {
      // An input of a group: the socket of its instance.
      const NodePlace place(document_.graph(), d.node);
      if (!place.node) return;
      const bool is_socket = place.scope().instance && place.node->type == kInputType;
      const Node& node = is_socket ? *place.scope().instance : *place.node;
      document_.reveal(to_q(is_socket ? d.node.substr(0, d.node.rfind('/')) : d.node));
      Q_EMIT wireWanted(to_q(node.id), to_q(is_socket ? place.node->id : d.socket), {node.x, node.y});
      return;
    }
    const bool bad_file =
        d.code == codes::asset_missing || d.code == codes::asset_refused || d.code == codes::bad_parameter;
    if (!bad_file) return reveal(row);
    const std::vector<AssetRef> refs = asset_refs(document_.flat());
    const bool folder = std::any_of(refs.begin(), refs.end(), [&](const AssetRef& ref) {
      return ref.kind == Kind::dataset && ref.node == d.node && ref.param == d.socket;
    });
    Q_EMIT fileWanted(to_q(d.node), to_q(d.socket), folder);
    return;
  }
  document_.mend(chosen);
}

int ProblemsModel::rowOfMissing() const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [](const Diagnostic& d) {
    return d.code == codes::asset_missing && !d.remedies.empty();
  });
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QString ProblemsModel::fileRemedy(const QString& code) const {
  const int row = code == QLatin1String(codes::asset_missing) ? rowOfMissing() : -1;
  return row < 0 ? QString() : to_q(rows_[static_cast<size_t>(row)].remedies.front().label);
}

void ProblemsModel::applyFileRemedy() {
  if (const int row = rowOfMissing(); row >= 0) apply(row, 0);
}

QString ProblemsModel::place(const Diagnostic& d) const {
  if (d.node.empty()) return tr("Graph");
  QString text = node_title(document_.flat(), d.node);
  if (!d.socket.empty()) text += QStringLiteral(" › ") + to_q(d.socket);
  return text;
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Diagnostic& d = rows_[static_cast<size_t>(index.row())];
  switch (role) {
    case SeverityRole:
      return to_q(name(d.severity));
    case CodeRole:
      return to_q(d.code);
    case NodeRole:
      return to_q(d.node);
    case NodeTitleRole:
      return place(d);
    case ReasonRole:
    case Qt::DisplayRole:
      return without_commands(sentence(workspace::explained(d).reason));
    case ExpectedRole:
      return to_q(d.expected);
    case GotRole:
      return to_q(d.got);
    case RemediesRole: {
      QStringList labels;
      for (const Remedy& r : d.remedies) labels.append(to_q(r.label));
      return labels;
    }
    default:
      return {};
  }
}

QHash<int, QByteArray> ProblemsModel::roleNames() const {
  return {{SeverityRole, "severity"}, {CodeRole, "code"},         {NodeRole, "node"}, {NodeTitleRole, "place"},
          {ReasonRole, "reason"},     {ExpectedRole, "expected"}, {GotRole, "got"},   {RemediesRole, "remedies"}};
}

}  // namespace hw::app
