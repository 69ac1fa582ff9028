#include "app/canvas/node_step.h"

#include <cmath>
#include <limits>

namespace hw::app {

QString next_node(const GraphModel& graph, const QString& from, QPointF centre, int dx, int dy) {
  const QRectF rect = graph.nodeRect(from);
  const QPointF start = rect.isNull() ? centre : rect.center();
  QString best;
  double best_cost = std::numeric_limits<double>::max();
  for (int row = 0; row < graph.count(); ++row) {
    const QPointF off = graph.rectAt(row).center() - start;
    const double along = off.x() * dx + off.y() * dy, across = std::abs(off.x() * dy) + std::abs(off.y() * dx);
    if (graph.idAt(row) == from || (!rect.isNull() && along <= 1)) continue;
    const double cost = std::abs(along) + 2 * across;
    if (cost < best_cost) {
      best_cost = cost;
      best = graph.idAt(row);
    }
  }
  return best;
}

}  // namespace hw::app
