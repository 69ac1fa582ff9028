#include "app/plots/tensor_image_item.h"

#include <QQuickWindow>
#include <QSGSimpleTextureNode>
#include <algorithm>

namespace hw::app {
namespace {

constexpr double kLeastSide = 48;  // pixels

}  // namespace

TensorImageItem::TensorImageItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
}

void TensorImageItem::setModel(TensorImageModel* model) {
  if (model == model_) return;
  if (model_) model_->disconnect(this);
  model_ = model;
  if (model_) connect(model_, &TensorImageModel::pictureChanged, this, &TensorImageItem::refresh);
  refresh();
  Q_EMIT modelChanged();
}

void TensorImageItem::refresh() {
  renew_ = true;
  update();
  Q_EMIT contentChanged();
}

void TensorImageItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  update();
  Q_EMIT contentChanged();
}

QRectF TensorImageItem::content() const {
  if (!model_ || model_->empty() || width() <= 0 || height() <= 0) return {};
  const auto rows = static_cast<double>(model_->picture().height),
             columns = static_cast<double>(model_->picture().width);
  const double scale = std::min(width() / columns, height() / rows);
  // Thinner ones are stretched: a long narrow one fills the item.
  const double across = columns * scale < kLeastSide ? width() : columns * scale;
  const double down = rows * scale < kLeastSide ? std::min(kLeastSide, height()) : rows * scale;
  return {0, 0, across, down};
}

QSGNode* TensorImageItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  auto* node = static_cast<QSGSimpleTextureNode*>(old);
  const QRectF place = content();
  if (place.isEmpty()) {
    delete node;
    return nullptr;
  }
  if (!node) {
    node = new QSGSimpleTextureNode;
    node->setOwnsTexture(true);
    node->setFiltering(QSGTexture::Nearest);
    renew_ = true;
  }
  if (std::exchange(renew_, false)) node->setTexture(window()->createTextureFromImage(model_->picture().image));
  node->setRect(place);
  return node;
}

}  // namespace hw::app
