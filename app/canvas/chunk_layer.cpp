#include "app/canvas/chunk_layer.h"

#include <QElapsedTimer>
#include <QSGTransformNode>

#include "app/canvas/strip_node.h"

namespace hw::app {
namespace {

constexpr qint64 kBudgetNs = 1'500'000;  // of a frame, for chunks that were built for another zoom
constexpr double kZoomSlack = 1.4;       // as thick or thin as lines may look where cards cannot be read
constexpr double kNear = 0.2;            // from this zoom on only what lies around the view is built

const QRectF kEverything(-1e12, -1e12, 2e12, 2e12);

bool fits(double built, double zoom) {
  if (zoom >= Camera::coarse_zoom) return built == zoom;
  return built > 0 && built < zoom * kZoomSlack && zoom < built * kZoomSlack;
}

}  // namespace

void ChunkLayer::setView(CanvasView* view) {
  if (view == view_) return;
  if (view_) {
    for (QObject* source :
         std::initializer_list<QObject*>{view_, view_->wires(), view_->wireDrag(), view_->camera(), view_->frames()})
      source->disconnect(this);
  }
  view_ = view;
  if (view_) {
    connect(view_, &CanvasView::coloursChanged, this, &ChunkLayer::touch_all);
    connect(view_->camera(), &Camera::changed, this, &QQuickItem::update);
    watch();
  }
  touch_all();
  Q_EMIT viewChanged();
}

void ChunkLayer::touch_all() {
  for (Built& built : built_) built.touched = true;
  update();
}

void ChunkLayer::touch(int thing) {
  const auto chunk = static_cast<size_t>(thing / chunk_);
  if (chunk < built_.size()) built_[chunk].touched = true;  // else it is built anyway
  update();
}

QSGNode* ChunkLayer::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  if (!view_) {
    delete old;
    built_.clear();
    return nullptr;
  }
  auto* root = static_cast<QSGTransformNode*>(old);
  if (!root) {
    root = new QSGTransformNode;
    built_.clear();
  }
  const Camera& camera = *view_->camera();
  const double zoom = camera.zoom();
  QMatrix4x4 matrix;
  matrix.translate(static_cast<float>(camera.originX()), static_cast<float>(camera.originY()));
  matrix.scale(static_cast<float>(zoom), static_cast<float>(zoom), 1);
  if (root->matrix() != matrix) root->setMatrix(matrix);

  const auto chunks = static_cast<size_t>((count() + chunk_ - 1) / chunk_);
  while (static_cast<size_t>(root->childCount()) > chunks) {
    QSGNode* last = root->lastChild();
    root->removeChildNode(last);
    delete last;
  }
  while (static_cast<size_t>(root->childCount()) < chunks) {
    auto* node = new StripNode;
    node->setFlag(QSGNode::OwnedByParent);
    root->appendChildNode(node);
  }
  built_.resize(chunks);
  if (chunks == 0) return root;

  const bool is_near = zoom >= kNear;
  const QRectF seen = camera.visible();
  const QRectF area =
      is_near ? seen.adjusted(-seen.width() / 2, -seen.height() / 2, seen.width() / 2, seen.height() / 2) : kEverything;
  std::vector<StripNode*> nodes;
  for (QSGNode* node = root->firstChild(); node; node = node->nextSibling())
    nodes.push_back(static_cast<StripNode*>(node));
  QElapsedTimer timer;
  timer.start();
  StripMesh mesh;
  next_ %= chunks;
  const size_t begin = next_;
  bool is_late = false;
  for (size_t i = 0; i < chunks; ++i) {
    const size_t chunk = (begin + i) % chunks;
    Built& built = built_[chunk];
    const bool stale = !fits(built.zoom, zoom) || !built.area.contains(seen);
    if (!built.touched && !stale) continue;
    if (!built.touched && !is_near && timer.nsecsElapsed() > kBudgetNs) {
      if (!is_late) next_ = chunk;
      is_late = true;
      continue;
    }
    mesh.clear();
    const int first = static_cast<int>(chunk) * chunk_;
    fill(mesh, first, std::min(first + chunk_, count()), zoom, area);
    nodes[chunk]->take(mesh);
    built = {false, zoom, area};
  }
  if (is_late) QMetaObject::invokeMethod(this, &QQuickItem::update, Qt::QueuedConnection);
  return root;
}

}  // namespace hw::app
