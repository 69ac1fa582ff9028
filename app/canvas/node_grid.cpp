#include "app/canvas/node_grid.h"

namespace hw::app {

void NodeGrid::setGraph(GraphModel* graph) {
  if (graph_) graph_->disconnect(this);
  graph_ = graph;
  stale_ = true;
  if (!graph_) return;
  const auto forget = [this] { stale_ = true; };
  connect(graph_, &QAbstractItemModel::modelReset, this, forget);
  connect(graph_, &QAbstractItemModel::rowsInserted, this, forget);
  connect(graph_, &QAbstractItemModel::rowsRemoved, this, forget);
  connect(graph_, &QAbstractItemModel::layoutChanged, this, forget);
  connect(graph_, &GraphModel::geometryChanged, this, &NodeGrid::move);
}

void NodeGrid::move(const QStringList& nodes) {
  for (const QString& id : nodes) {
    if (stale_) return;
    if (const int row = graph_->rowOf(id); row >= 0) grid_.set(row, graph_->rectAt(row));
  }
}

void NodeGrid::build() const {
  grid_.clear();
  stale_ = false;
  for (int row = 0; row < graph_->count(); ++row) grid_.set(row, graph_->rectAt(row));
}

std::vector<int> NodeGrid::rows(const QRectF& area) const {
  if (!graph_) return {};
  if (stale_) build();
  return grid_.in(area);
}

}  // namespace hw::app
