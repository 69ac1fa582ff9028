// NodeGrid: which nodes of a GraphModel lie in an area, kept up to date as they come, go and move.
#pragma once

#include <QObject>
#include <QPointer>

#include "app/canvas/rect_grid.h"
#include "app/models/graph/graph_model.h"

namespace hw::app {

/// GUI thread. Up to date before those who are connected to the model after setGraph().
class NodeGrid : public QObject {
  Q_OBJECT
 public:
  void setGraph(GraphModel* graph);
  /// Rows of nodes that meet the area, in order.
  std::vector<int> rows(const QRectF& area) const;

 private:
  void move(const QStringList& nodes);
  void build() const;

  QPointer<GraphModel> graph_;
  mutable RectGrid grid_;
  mutable bool stale_ = true;  // rows are others: built anew when it is asked for next
};

}  // namespace hw::app
