#include "app/plots/picture_item.h"

#include <QQuickWindow>
#include <QSGImageNode>
#include <algorithm>

namespace hw::app {
namespace {

/// The two halves and the images their textures were made of.
struct PictureNode : QSGNode {
  QSGImageNode* half[2] = {};
  qint64 key[2] = {};
};

}  // namespace

PictureItem::PictureItem(QQuickItem* parent) : WatchingItem(parent) {}

void PictureItem::setSplit(double split) {
  split = std::clamp(split, 0.0, 1.0);
  if (split == split_) return;
  split_ = split;
  update();
  Q_EMIT splitChanged();
}

QRectF PictureItem::area() const {
  if (!model() || model()->original().isNull()) return {};
  QSizeF size = model()->original().size();
  size.scale(this->size(), Qt::KeepAspectRatio);
  return QRectF(QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size);
}

void PictureItem::refresh() {
  update();
  Q_EMIT areaChanged();
}

QSGNode* PictureItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  auto* node = static_cast<PictureNode*>(old);
  const QRectF whole = area();
  if (whole.isEmpty()) {
    delete node;
    return nullptr;
  }
  if (!node) node = new PictureNode;
  const double split = model()->hasPicture() ? split_ : 1;
  const QImage* images[2] = {&model()->original(), &model()->picture()};
  const double from[2] = {0, split}, to[2] = {split, 1};
  for (int i = 0; i < 2; ++i) {
    const bool wanted = !images[i]->isNull() && to[i] > from[i];
    if (!wanted) {
      delete node->half[i];
      node->half[i] = nullptr;
      node->key[i] = 0;
      continue;
    }
    if (!node->half[i]) {
      node->half[i] = window()->createImageNode();
      node->half[i]->setOwnsTexture(true);
      node->half[i]->setFiltering(QSGTexture::Linear);
      node->half[i]->setMipmapFiltering(QSGTexture::Linear);
      node->appendChildNode(node->half[i]);
    }
    if (node->key[i] != images[i]->cacheKey()) {
      node->key[i] = images[i]->cacheKey();
      node->half[i]->setTexture(window()->createTextureFromImage(*images[i], QQuickWindow::TextureHasMipmaps));
    }
    const QSizeF pixels = images[i]->size();
    node->half[i]->setSourceRect(
        QRectF(from[i] * pixels.width(), 0, (to[i] - from[i]) * pixels.width(), pixels.height()));
    node->half[i]->setRect(
        QRectF(whole.x() + from[i] * whole.width(), whole.y(), (to[i] - from[i]) * whole.width(), whole.height()));
  }
  return node;
}

}  // namespace hw::app
