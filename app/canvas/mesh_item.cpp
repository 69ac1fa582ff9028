#include "app/canvas/mesh_item.h"

#include <cmath>

#include "app/canvas/strip_node.h"

namespace hw::app {
namespace {

QRgb faded(QRgb c, double alpha) {
  return qRgba(qRed(c), qGreen(c), qBlue(c), static_cast<int>(qAlpha(c) * alpha));
}

}  // namespace

void MeshItem::setView(CanvasView* view) {
  if (view == view_) return;
  if (view_) {
    view_->disconnect(this);
    view_->camera()->disconnect(this);
    view_->wireDrag()->disconnect(this);
  }
  view_ = view;
  if (view_) {
    connect(view_, &CanvasView::coloursChanged, this, &QQuickItem::update);
    connect(view_->camera(), &Camera::changed, this, &QQuickItem::update);
    watch();
  }
  update();
  Q_EMIT viewChanged();
}

void MeshItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  update();
}

QSGNode* MeshItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  StripMesh mesh;
  if (view_) build(mesh);
  return StripNode::showing(mesh, old);
}

void GridItem::watch() {}

void GridItem::build(StripMesh& mesh) const {
  constexpr double kStep = 24, kLeast = 18;  // canvas units; screen pixels between dots
  const Camera& camera = *view_->camera();
  double step = kStep * camera.zoom();
  while (step < kLeast) step *= 2;
  // Every fourth dot is stronger; the weak ones come up slowly as they part.
  const double fade = std::min(1.0, (step - kLeast) / kLeast + 0.35);
  const QRgb strong = colour(QStringLiteral("lineStrong")), weak = faded(strong, 0.5 * fade);
  const auto first_x = static_cast<int64_t>(std::floor(-camera.originX() / step));
  const auto first_y = static_cast<int64_t>(std::floor(-camera.originY() / step));
  const double size = camera.zoom() > 1.5 ? 2 : 1.5;
  for (int64_t j = first_y;; ++j) {
    const double y = camera.originY() + static_cast<double>(j) * step;
    if (y > height()) break;
    for (int64_t i = first_x;; ++i) {
      const double x = camera.originX() + static_cast<double>(i) * step;
      if (x > width() || !mesh.has_room()) break;
      const bool is_strong = i % 4 == 0 && j % 4 == 0;
      add_rect(mesh, QRectF(std::round(x) - size / 2, std::round(y) - size / 2, size, size), is_strong ? strong : weak);
    }
  }
}

void HandLayer::watch() {
  connect(view_->wireDrag(), &WireDrag::moved, this, &QQuickItem::update);
  connect(view_->wireDrag(), &WireDrag::activeChanged, this, &QQuickItem::update);
  connect(view_, &CanvasView::gestureChanged, this, &QQuickItem::update);
}

void HandLayer::build(StripMesh& mesh) const {
  const Camera& camera = *view_->camera();
  StripStyle style;
  style.casing = colour(QStringLiteral("canvas"));
  style.casing_width = 1.5;
  if (view_->cutting() || view_->rerouting()) {
    style.from = style.to = colour(view_->cutting() ? QStringLiteral("error") : QStringLiteral("accent"));
    style.width = 1.5;
    style.dash = 6;
    style.gap = 4;
    add_strip(mesh, straight_line(view_->cutFrom(), view_->cursor()), style);
  }
  WireDrag& drag = *view_->wireDrag();
  if (!drag.active()) return;
  const bool wrong = !drag.reason().isEmpty();
  const QRgb colour_of_wire = colour(wrong ? QStringLiteral("error") : drag.token());
  style.from = style.to = colour_of_wire;
  style.width = std::clamp(3.0 * camera.zoom(), 2.0, 5.0);
  if (wrong) {
    style.dash = 8;
    style.gap = 5;
  }
  const QPointF tip = camera.toScreen(drag.tip());
  for (const QPointF& anchor : drag.anchors()) {
    const QPointF end = camera.toScreen(anchor);
    add_strip(mesh, drag.fromOutput() ? WireCurve(end, tip) : WireCurve(tip, end), style);
  }
  add_disc(mesh, tip, drag.target().isEmpty() ? 4 : 6, 1, colour_of_wire);
}

}  // namespace hw::app
