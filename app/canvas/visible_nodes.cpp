#include "app/canvas/visible_nodes.h"

namespace hw::app {

void VisibleNodes::setGraph(GraphModel* graph) {
  graph_ = graph;
  setSourceModel(graph);
  refresh();
}

VisibleNodes::Choice VisibleNodes::wanted() const {
  if (of_ == Of::names) {
    return camera_.far() && camera_.zoom() >= kNamesFrom ? Choice::inside : Choice::none;
  }
  if (camera_.far()) return Choice::none;
  return graph_ && graph_->count() > kAlwaysAll ? Choice::inside : Choice::all;
}

void VisibleNodes::follow() {
  const Choice choice = wanted();
  if (choice == choice_ && (choice != Choice::inside || chosen_.contains(camera_.visible()))) return;
  refresh();
}

void VisibleNodes::refresh() {
  choice_ = wanted();
  const QRectF seen = camera_.visible();
  const double dx = seen.width() * 0.3, dy = seen.height() * 0.3;
  chosen_ = seen.adjusted(-dx, -dy, dx, dy);
  invalidateFilter();
}

bool VisibleNodes::filterAcceptsRow(int row, const QModelIndex&) const {
  if (choice_ != Choice::inside) return choice_ == Choice::all;
  return graph_ && row < graph_->count() && graph_->rectAt(row).intersects(chosen_);
}

}  // namespace hw::app
