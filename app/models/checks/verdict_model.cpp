#include "app/models/checks/verdict_model.h"

#include <cmath>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/core/exceptions.h"

namespace hw::app {
namespace {

/// Nodes that stand in for others are not on the canvas: of those only what is wrong is listed.
void leave_out_stand_ins(std::vector<VerdictModel::Row>& rows, const Graph& graph) {
  std::erase_if(rows, [&](const auto& row) { return row.level == 0 && !row.node.empty() && !graph.find(row.node); });
}

}  // namespace

void VerdictModel::start() {
  if (!worker().begin()) return;
  worker().run([this, work = work(), assets = assets()](const std::shared_ptr<const Graph>& graph, const auto& progress,
                                                        const std::atomic<bool>& cancel) -> CheckWorker::Finish {
    auto result = std::make_shared<Result<Report>>(guarded([&] { return work(*graph, *assets, progress, cancel); }));
    if (*result) leave_out_stand_ins((*result)->rows, *graph);
    return [this, result, graph] {
      setRows(*result ? std::move(**result) : Report{});
      if (!*result) return setProblem(result->error());
      setReport(report_.caption, count() > 0 ? graph : nullptr);
    };
  });
}

void VerdictModel::setRows(Report report) {
  beginResetModel();
  report_ = std::move(report);
  endResetModel();
}

std::vector<Diagnostic> VerdictModel::findings() const {
  return stale() ? std::vector<Diagnostic>{} : report_.findings;
}

const VerdictModel::Row* VerdictModel::row(int index) const {
  return index >= 0 && index < count() ? &report_.rows[static_cast<size_t>(index)] : nullptr;
}

std::string VerdictModel::nodeOf(int index) const {
  const Row* found = row(index);
  return found ? found->node : "";
}

int VerdictModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(report_.rows.size());
}

QVariant VerdictModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = report_.rows[static_cast<size_t>(index.row())];
  switch (role) {
    case NodeRole:
      return to_q(row.node);
    case TitleRole:
    case Qt::DisplayRole:
      return titleOf(row.node);
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

QHash<int, QByteArray> VerdictModel::roleNames() const {
  return {{NodeRole, "node"},       {TitleRole, "title"}, {ValueRole, "value"},   {PassRole, "pass"},
          {VerdictRole, "verdict"}, {LevelRole, "level"}, {NumberRole, "number"}, {NoteRole, "note"}};
}

QString value_in_node(const std::string& name, const std::string& node, std::string_view op) {
  if (name.empty()) return QStringLiteral("(%1)").arg(to_q(op));
  return to_q(name).replace(to_q(node) + QLatin1Char('.'), QString());
}

QString share_of_allowed(double error) {
  return std::isfinite(error) ? VerdictModel::tr("%1 %").arg(format_number(100 * error, 2)) : QStringLiteral("∞");
}

QString stand_in_text() {
  return VerdictModel::tr("the mean square of the outputs for a loss");
}

}  // namespace hw::app
