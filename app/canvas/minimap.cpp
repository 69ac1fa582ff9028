#include "app/canvas/minimap.h"

#include <QHash>
#include <algorithm>

#include "app/canvas/strip_node.h"

namespace hw::app {
namespace {

constexpr int kAfterChange = 60;             // ms: nodes that are dragged are drawn anew now and then
constexpr double kMargin = 6, kLeast = 1.5;  // pixels: around all nodes; of a node

}  // namespace

Minimap::Minimap(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  soon_.setSingleShot(true);
  soon_.setInterval(kAfterChange);
  connect(&soon_, &QTimer::timeout, this, &Minimap::measure);
}

void Minimap::setView(CanvasView* view) {
  if (view == view_) return;
  if (view_) {
    view_->disconnect(this);
    view_->camera()->disconnect(this);
  }
  view_ = view;
  if (view_) {
    connect(view_, &CanvasView::coloursChanged, this, &QQuickItem::update);
    connect(view_->camera(), &Camera::changed, this, &Minimap::look);
    connect(view_, &CanvasView::graphChanged, this, &Minimap::follow_graph);
    follow_graph();
  }
  Q_EMIT viewChanged();
}

void Minimap::follow_graph() {
  if (const GraphModel* graph = view_->graph()) {
    graph->disconnect(this);
    const auto later = [this] {
      if (!soon_.isActive()) soon_.start();
    };
    connect(graph, &GraphModel::geometryChanged, this, later);
    connect(graph, &GraphModel::wrongWiresChanged, this, later);
    connect(graph, &QAbstractItemModel::modelReset, this, &Minimap::measure);
  }
  measure();
}

void Minimap::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  if (now.size() != before.size()) measure();
}

void Minimap::measure() {
  all_ = {};
  const GraphModel* graph = view_ ? view_->graph() : nullptr;
  for (int row = 0; graph && row < graph->count(); ++row) all_ |= graph->rectAt(row);
  if (!all_.isEmpty()) {
    scale_ = std::min((width() - 2 * kMargin) / all_.width(), (height() - 2 * kMargin) / all_.height());
    origin_ = QPointF(width(), height()) / 2 - all_.center() * scale_;
  }
  look();
  update();
  const double full = all_.isEmpty() ? 0 : all_.height() * (width() - 2 * kMargin) / all_.width() + 2 * kMargin;
  if (full == full_height_) return;
  full_height_ = full;
  Q_EMIT measured();
}

QRectF Minimap::to_map(const QRectF& canvas) const {
  return {canvas.topLeft() * scale_ + origin_, canvas.size() * scale_};
}

void Minimap::look() {
  const QRectF visible = view_ ? view_->camera()->visible() : QRectF();
  const bool needed = !all_.isEmpty() && !visible.contains(all_);
  const QRectF seen = needed ? to_map(visible).intersected(QRectF(0, 0, width(), height())) : QRectF();
  if (needed == needed_ && seen == seen_) return;
  needed_ = needed;
  seen_ = seen;
  Q_EMIT seenChanged();
}

void Minimap::goTo(QPointF point) {
  if (view_ && scale_ > 0) view_->camera()->centreOn((point - origin_) / scale_);
}

QSGNode* Minimap::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  StripMesh mesh;
  const GraphModel* graph = view_ ? view_->graph() : nullptr;
  if (graph && !all_.isEmpty()) {
    const QRgb wrong = view_->wires()->colour(QStringLiteral("error")).rgba();
    QHash<const NodeType*, QRgb> tints;
    for (int row = 0; row < graph->count(); ++row) {
      const NodeType* type = graph->cardAt(row).type;
      if (!tints.contains(type)) {
        const QString category = type ? to_q(type->decl.category()) : QString();
        tints[type] = view_->wires()->colour(QStringLiteral("category") + category).rgba();
      }
      QRectF rect = to_map(graph->rectAt(row));
      rect.setWidth(std::max(rect.width(), kLeast));
      rect.setHeight(std::max(rect.height(), kLeast));
      add_rect(mesh, rect, graph->isWrongAt(row) ? wrong : tints[type]);
    }
  }
  return StripNode::showing(mesh, old);
}

}  // namespace hw::app
