#include "app/models/checks/check_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/exceptions.h"

namespace hw::app {

CheckModel::CheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QAbstractListModel(parent), document_(document), assets_(std::move(assets)) {
  thread_.setMaxThreadCount(1);
  connect(&document, &Document::structureChanged, this, &CheckModel::compare);
  connect(&document, &Document::reset, this, [this] {
    ++generation_;
    cancel_ = true;
    show({}, {});
  });
}

CheckModel::~CheckModel() {
  cancel_ = true;
  thread_.waitForDone();
}

void CheckModel::start() {
  if (running_) return;
  cancel_ = false;
  progress_ = 0;
  Q_EMIT progressChanged();
  setRunning(true);
  thread_.start([this, work = work(), graph = std::make_shared<const Graph>(document_.graph()),
                 generation = generation_] {
    const auto progress = [this](double share) {
      QMetaObject::invokeMethod(
          this,
          [this, share] {
            progress_ = share;
            Q_EMIT progressChanged();
          },
          Qt::QueuedConnection);
    };
    auto result = std::make_shared<Result<Report>>(guarded([&] { return work(*graph, *assets_, progress, cancel_); }));
    // The destructor waits for this thread.
    QMetaObject::invokeMethod(
        this,
        [this, result, graph, generation] {
          if (generation == generation_ && !cancel_) take(result, graph);
          setRunning(false);
        },
        Qt::QueuedConnection);
  });
}

void CheckModel::take(const std::shared_ptr<Result<Report>>& result, const std::shared_ptr<const Graph>& checked) {
  if (*result) {
    show(std::move(**result), {});
    checked_ = checked;
  } else {
    const Error& e = result->error();
    show({}, e.remedy.empty() ? reason_text(e) : reason_text(e) + QLatin1Char(' ') + to_q(e.remedy));
  }
  compare();
}

void CheckModel::compare() {
  setStale(checked_ && count() > 0 && !computes_the_same(*checked_, document_.graph()));
}

void CheckModel::show(Report report, const QString& problem) {
  beginResetModel();
  checked_.reset();
  report_ = std::move(report);
  problem_ = problem;
  endResetModel();
  setStale(false);
  Q_EMIT reportChanged();
  Q_EMIT findingsChanged();
}

void CheckModel::setRunning(bool on) {
  if (on == running_) return;
  running_ = on;
  Q_EMIT runningChanged();
}

void CheckModel::setStale(bool on) {
  if (on == stale_) return;
  stale_ = on;
  Q_EMIT staleChanged();
  if (!report_.findings.empty()) Q_EMIT findingsChanged();
}

const std::vector<Diagnostic>& CheckModel::findings() const {
  static const std::vector<Diagnostic> none;
  return stale_ ? none : report_.findings;
}

const CheckModel::Row* CheckModel::row(int index) const {
  return index >= 0 && index < count() ? &report_.rows[static_cast<size_t>(index)] : nullptr;
}

void CheckModel::reveal(int index) {
  const Row* found = row(index);
  if (!found) return;
  const QString node = to_q(found->node);
  if (!document_.graph().find(to_std(node))) return;
  if (selects()) document_.selectNode(node);
  Q_EMIT document_.revealRequested(node);
}

int CheckModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant CheckModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = report_.rows[static_cast<size_t>(index.row())];
  switch (role) {
    case NodeRole:
      return to_q(row.node);
    case TitleRole:
    case Qt::DisplayRole: {
      const Node* node = document_.graph().find(row.node);
      return node ? to_q(display_name(*node)) : to_q(row.node);
    }
    case ValueRole:
      return to_q(row.value);
    case PassRole:
      return row.pass;
    case VerdictRole:
      return row.verdict;
    case LevelRole:
      return row.level;
    case NumberRole:
      return row.number;
    case NoteRole:
      return row.note;
    default:
      return {};
  }
}

QHash<int, QByteArray> CheckModel::roleNames() const {
  return {{NodeRole, "node"},       {TitleRole, "title"}, {ValueRole, "value"},   {PassRole, "pass"},
          {VerdictRole, "verdict"}, {LevelRole, "level"}, {NumberRole, "number"}, {NoteRole, "note"}};
}

bool computes_the_same(const Graph& a, const Graph& b) {
  const auto same = [](const auto& x, const auto& y) {
    const Node &m = x.second, &n = y.second;
    return m.id == n.id && m.type == n.type && m.params == n.params && m.weights == n.weights &&
           m.bypassed == n.bypassed && m.frozen == n.frozen && m.tie == n.tie && m.device == n.device;
  };
  return std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(), same) &&
         a.links() == b.links();
}

QString value_in_node(const std::string& name, const std::string& node, std::string_view op) {
  if (name.empty()) return QStringLiteral("(%1)").arg(to_q(op));
  return to_q(name).replace(to_q(node) + QLatin1Char('.'), QString());
}

}  // namespace hw::app
