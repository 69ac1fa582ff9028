#include "app/canvas/node_search.h"

#include "app/models/palette/node_ranking.h"

namespace hw::app {

int NodeSearch::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> NodeSearch::roleNames() const {
  return {{TypeIdRole, "typeId"}, {TitleRole, "title"}, {CategoryRole, "category"}, {SummaryRole, "summary"}};
}

QVariant NodeSearch::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  const NodeType& type = *found_[static_cast<size_t>(index.row())];
  switch (role) {
    case TypeIdRole:
      return to_q(type.id);
    case Qt::DisplayRole:
    case TitleRole:
      return to_q(type.decl.title());
    case CategoryRole:
      return to_q(type.decl.category());
    case SummaryRole:
      return to_q(type.decl.summary());
    default:
      return {};
  }
}

void NodeSearch::setGraph(GraphModel* graph) {
  if (graph == graph_) return;
  graph_ = graph;
  fit({}, {}, false);
}

void NodeSearch::setQuery(const QString& query) {
  if (query == query_) return;
  query_ = query;
  search();
}

void NodeSearch::fit(const QString& node, const QString& socket, bool isOutput) {
  node_ = node;
  socket_ = socket;
  is_output_ = isOutput;
  fitting_.clear();
  refused_ = 0;
  for (const auto& [id, type] : Registry::instance().all()) {
    if (!node_.isEmpty() && graph_ &&
        !graph_->document().fittingSocket(node_.toStdString(), socket_.toStdString(), is_output_, type)) {
      ++refused_;
      continue;
    }
    fitting_.push_back(&type);
  }
  search();
}

void NodeSearch::search() {
  beginResetModel();
  found_ = ranked_types(query_, fitting_);
  endResetModel();
  Q_EMIT changed();
}

QString NodeSearch::typeAt(int row) const {
  return row >= 0 && row < count() ? to_q(found_[static_cast<size_t>(row)]->id) : QString();
}

}  // namespace hw::app
