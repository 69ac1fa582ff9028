#include "app/canvas/preview_item.h"

#include <QQuickWindow>
#include <QSGImageNode>

#include "app/canvas/curve.h"

namespace hw::app {
namespace {

constexpr size_t kInputs = 4;         // of a Plot
constexpr double kPreviewMargin = 4;  // above and below lines

struct PreviewNode : QSGNode {
  QSGImageNode* picture = nullptr;
  QSGNode* lines = nullptr;
};

}  // namespace

PreviewItem::PreviewItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &PreviewItem::coloursChanged, this, &QQuickItem::update);
}

void PreviewItem::setPreview(const Preview& preview) {
  if (preview == preview_) return;
  preview_ = preview;
  renew_ = true;
  update();
  Q_EMIT previewChanged();
}

void PreviewItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  update();
}

QSGNode* PreviewItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  auto* node = static_cast<PreviewNode*>(old);
  const PreviewContent* content = preview_.content();
  const bool has_picture = content && !content->picture.isNull(), has_lines = content && !content->lines.empty();
  if (!has_picture && !has_lines) {
    delete node;
    return nullptr;
  }
  if (!node) {
    node = new PreviewNode;
    renew_ = true;
  }
  if (!has_picture) {
    delete node->picture;
    node->picture = nullptr;
  } else {
    if (!node->picture) {
      node->picture = window()->createImageNode();
      node->picture->setOwnsTexture(true);
      node->appendChildNode(node->picture);
      renew_ = true;
    }
    if (std::exchange(renew_, false)) {
      node->picture->setFiltering(content->fine ? QSGTexture::Linear : QSGTexture::Nearest);
      node->picture->setTexture(window()->createTextureFromImage(content->picture));
    }
    const QSizeF size = QSizeF(content->picture.size()).scaled(this->size(), Qt::KeepAspectRatio);
    node->picture->setRect(QRectF(QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size));
  }
  delete node->lines;
  node->lines = nullptr;
  if (!has_lines) return node;
  node->lines = new QSGNode;
  node->appendChildNode(node->lines);
  Quads quads[kInputs];
  const double tall = height() - 2 * kPreviewMargin;
  const auto y = [&](double value) {
    return kPreviewMargin + tall * (content->high - value) / (content->high - content->low);
  };
  for (const PreviewContent::Line& line : content->lines) {
    const Stroke stroke{kCurve, width() / static_cast<double>(std::max<size_t>(1, line.columns.size()))};
    if (line.input < kInputs) add_curve(quads[line.input], line.columns, y, {}, stroke);
  }
  for (size_t i = 0; i < kInputs; ++i)
    quads[i].give(add_quads_node(node->lines), lineColours_.value(static_cast<qsizetype>(i)).value<QColor>());
  return node;
}

}  // namespace hw::app
