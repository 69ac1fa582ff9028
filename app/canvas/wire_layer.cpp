#include "app/canvas/wire_layer.h"

#include <QSGTransformNode>
#include <algorithm>

#include "app/canvas/strip_node.h"

namespace hw::app {
namespace {

/// Screen pixels: in step with the zoom, but neither hair nor rope.
double wire_width(double zoom) {
  return std::clamp(2.6 * zoom, 1.2, 5.0);
}

}  // namespace

void WireLayer::setView(CanvasView* view) {
  if (view == view_) return;
  if (view_) {
    view_->disconnect(this);
    view_->wires()->disconnect(this);
  }
  view_ = view;
  if (view_) {
    connect(view_->wires(), &WireSet::wiresReset, this, &WireLayer::touch_all);
    connect(view_->wires(), &WireSet::wiresTouched, this, &WireLayer::touch);
    connect(view_, &CanvasView::hoverChanged, this, &WireLayer::touch_looks);
    connect(view_, &CanvasView::coloursChanged, this, &WireLayer::touch_all);
    connect(view_->wireDrag(), &WireDrag::activeChanged, this, &WireLayer::touch_looks);
    connect(view_->camera(), &Camera::changed, this, &WireLayer::follow_camera);
  }
  touch_all();
  Q_EMIT viewChanged();
}

void WireLayer::touch_all() {
  all_ = true;
  update();
}

void WireLayer::touch(const QVector<int>& wires) {
  for (int wire : wires) chunks_.insert(wire / kChunk);
  update();
}

void WireLayer::touch_looks() {
  const int lit = view_ ? view_->litWire() : -1;
  std::vector<Link> taken = view_ ? view_->wireDrag()->taken() : std::vector<Link>();
  if (lit == lit_ && taken == taken_) return;
  for (int wire : {lit, lit_}) {
    if (wire >= 0) chunks_.insert(wire / kChunk);
  }
  lit_ = lit;
  if (taken != taken_) all_ = true;
  taken_ = std::move(taken);
  update();
}

void WireLayer::follow_camera() {
  const Camera& camera = *view_->camera();
  if (camera.zoom() != built_zoom_ || !built_.contains(camera.visible())) all_ = true;
  update();
}

void WireLayer::fill(StripMesh& mesh, int chunk) const {
  const std::vector<Wire>& wires = view_->wires()->wires();
  const double zoom = built_zoom_;
  StripStyle base;
  base.pixel = 1 / zoom;
  base.width = wire_width(zoom);
  const QColor casing = view_->wires()->colour(QStringLiteral("canvas"));
  const QColor accent = view_->wires()->colour(QStringLiteral("accent"));
  const QColor error = view_->wires()->colour(QStringLiteral("error"));
  const size_t end = std::min(wires.size(), static_cast<size_t>(chunk + 1) * kChunk);
  for (size_t i = static_cast<size_t>(chunk) * kChunk; i < end && mesh.has_room(); ++i) {
    const Wire& wire = wires[i];
    if (!wire.curve.bounds().adjusted(-8, -8, 8, 8).intersects(built_)) continue;
    if (std::find(taken_.begin(), taken_.end(), wire.link) != taken_.end()) continue;
    StripStyle style = base;
    const bool lit = static_cast<int>(i) == lit_;
    style.from = wire.from;
    style.to = wire.to;
    if (wire.field && zoom >= Camera::coarse_zoom) style.wave = QColor(wire.from).lighter(150).rgba();
    if (wire.faded) {
      style.from = qRgba(qRed(wire.from), qGreen(wire.from), qBlue(wire.from), 96);
      style.to = qRgba(qRed(wire.to), qGreen(wire.to), qBlue(wire.to), 96);
    }
    if (zoom >= 0.25) {
      style.casing = casing.rgba();
      style.casing_width = 1.5;
    }
    if (lit) style.width += 1.5;
    if (wire.selected) {
      style.width += 1;
      style.casing = accent.rgba();
      style.casing_width = 2;
    }
    if (wire.wrong) {
      style.dash = 8;
      style.gap = 5;
      style.wave = 0;
    }
    add_strip(mesh, wire.curve, style);
    if (wire.bad) {
      const double radius = std::clamp(7 * zoom, 3.5, 9.0) / zoom;
      add_bad_mark(mesh, wire.curve.at(0.5), radius, base.pixel, error.rgba(), casing.rgba());
    }
  }
}

QSGNode* WireLayer::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  if (!view_) {
    delete old;
    return nullptr;
  }
  auto* root = static_cast<QSGTransformNode*>(old);
  if (!root) {
    root = new QSGTransformNode;
    all_ = true;
  }
  const Camera& camera = *view_->camera();
  QMatrix4x4 matrix;
  matrix.translate(static_cast<float>(camera.originX()), static_cast<float>(camera.originY()));
  matrix.scale(static_cast<float>(camera.zoom()), static_cast<float>(camera.zoom()), 1);
  root->setMatrix(matrix);

  const int count = (static_cast<int>(view_->wires()->wires().size()) + kChunk - 1) / kChunk;
  while (root->childCount() > count) {
    QSGNode* last = root->lastChild();
    root->removeChildNode(last);
    delete last;
  }
  while (root->childCount() < count) {
    auto* chunk = new StripNode;
    chunk->setFlag(QSGNode::OwnedByParent);
    root->appendChildNode(chunk);
  }
  if (all_) {
    const QRectF seen = camera.visible();
    built_zoom_ = camera.zoom();
    built_ = seen.adjusted(-seen.width() / 2, -seen.height() / 2, seen.width() / 2, seen.height() / 2);
  }
  StripMesh mesh;
  QSGNode* node = root->firstChild();
  for (int chunk = 0; chunk < count; ++chunk, node = node->nextSibling()) {
    if (!all_ && !chunks_.contains(chunk)) continue;
    mesh.clear();
    fill(mesh, chunk);
    static_cast<StripNode*>(node)->take(mesh);
  }
  all_ = false;
  chunks_.clear();
  return root;
}

}  // namespace hw::app
