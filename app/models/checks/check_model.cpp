#include "app/models/checks/check_model.h"

#include "app/document/node_title.h"
#include "app/document/text.h"
#include "app/document/without_commands.h"

namespace hw::app {

CheckModel::CheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QAbstractListModel(parent), document_(document), assets_(std::move(assets)), worker_(document) {
  connect(&worker_, &CheckWorker::runningChanged, this, &CheckModel::runningChanged);
  connect(&worker_, &CheckWorker::progressChanged, this, &CheckModel::progressChanged);
  connect(&worker_, &CheckWorker::staleChanged, this, [this] {
    Q_EMIT staleChanged();
    Q_EMIT findingsChanged();
  });
  connect(&worker_, &CheckWorker::replaced, this, [this] {
    clear();
    set({}, {}, nullptr);
  });
}

void CheckModel::setReport(const QString& caption, std::shared_ptr<const Graph> checked) {
  set(caption, {}, std::move(checked));
}

void CheckModel::setProblem(const Error& error) {
  const QString remedy = without_commands(to_q(error.remedy));
  set({}, remedy.isEmpty() ? reason_text(error) : reason_text(error) + QLatin1Char(' ') + remedy, nullptr);
}

void CheckModel::set(const QString& caption, const QString& problem, std::shared_ptr<const Graph> checked) {
  caption_ = caption;
  problem_ = problem;
  worker_.setChecked(std::move(checked));
  Q_EMIT reportChanged();
  Q_EMIT findingsChanged();
}

void CheckModel::reveal(int row) {
  const std::string node = nodeOf(row);
  if (!document_.flat().find(node)) return;
  document_.reveal(to_q(node), selects());
}

QString CheckModel::titleOf(const std::string& node) const {
  return node_title(document_.flat(), node);
}

}  // namespace hw::app
