#include "app/canvas/previews_in_view.h"

namespace hw::app {
namespace {

constexpr int kRestMs = 60;

}  // namespace

PreviewsInView::PreviewsInView(const Camera& camera, const NodeGrid& grid, QObject* parent)
    : QObject(parent), camera_(camera), grid_(grid) {
  soon_.setSingleShot(true);
  soon_.setInterval(kRestMs);
  connect(&soon_, &QTimer::timeout, this, &PreviewsInView::look);
}

void PreviewsInView::setGraph(GraphModel* graph) {
  if (graph_) {
    graph_->disconnect(this);
    graph_->lookAt({});
  }
  graph_ = graph;
  if (!graph_) return;
  for (const auto change : {&GraphModel::countChanged, &GraphModel::wiresReset})
    connect(graph_, change, this, &PreviewsInView::follow);
  connect(graph_, &GraphModel::geometryChanged, this, &PreviewsInView::follow);
  follow();
}

void PreviewsInView::look() {
  if (!graph_) return;
  QStringList ids;
  if (!camera_.coarse()) {
    for (const int row : grid_.rows(camera_.visible()))
      if (graph_->cardAt(row).preview_top >= 0) ids << graph_->idAt(row);
  }
  graph_->lookAt(ids);
}

}  // namespace hw::app
