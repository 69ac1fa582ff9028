#include "app/models/checks/check_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/exceptions.h"

namespace hw::app {

CheckModel::CheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QAbstractListModel(parent), document_(document), assets_(std::move(assets)), worker_(document) {
  connect(&worker_, &CheckWorker::runningChanged, this, &CheckModel::runningChanged);
  connect(&worker_, &CheckWorker::progressChanged, this, &CheckModel::progressChanged);
  connect(&worker_, &CheckWorker::replaced, this, [this] { show({}, {}); });
  connect(&worker_, &CheckWorker::staleChanged, this, [this] {
    Q_EMIT staleChanged();
    if (!report_.findings.empty()) Q_EMIT findingsChanged();
  });
}

void CheckModel::start() {
  if (!worker_.begin()) return;
  worker_.run([this, work = work()](const std::shared_ptr<const Graph>& graph, const auto& progress,
                                    const std::atomic<bool>& cancel) -> CheckWorker::Finish {
    auto result = std::make_shared<Result<Report>>(guarded([&] { return work(*graph, *assets_, progress, cancel); }));
    return [this, result, graph] { take(std::move(*result), graph); };
  });
}

void CheckModel::take(Result<Report> result, const std::shared_ptr<const Graph>& checked) {
  if (result) return show(std::move(*result), {}, checked);
  const Error& e = result.error();
  show({}, e.remedy.empty() ? reason_text(e) : reason_text(e) + QLatin1Char(' ') + to_q(e.remedy));
}

void CheckModel::show(Report report, const QString& problem, const std::shared_ptr<const Graph>& checked) {
  beginResetModel();
  report_ = std::move(report);
  problem_ = problem;
  endResetModel();
  worker_.setChecked(count() > 0 ? checked : nullptr);
  Q_EMIT reportChanged();
  Q_EMIT findingsChanged();
}

const std::vector<Diagnostic>& CheckModel::findings() const {
  static const std::vector<Diagnostic> none;
  return stale() ? none : report_.findings;
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

QString value_in_node(const std::string& name, const std::string& node, std::string_view op) {
  if (name.empty()) return QStringLiteral("(%1)").arg(to_q(op));
  return to_q(name).replace(to_q(node) + QLatin1Char('.'), QString());
}

}  // namespace hw::app
