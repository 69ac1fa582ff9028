// PreviewItem: the picture or the lines of a Preview, fitted into the item.
#pragma once

#include <QColor>
#include <QQuickItem>
#include <QVariantList>

#include "app/models/previews/preview.h"

namespace hw::app {

/// A scene-graph item. GUI thread, but for updatePaintNode.
class PreviewItem : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::Preview preview READ preview WRITE setPreview NOTIFY previewChanged)
  /// Colours of the lines, by input: as in a Plot.
  Q_PROPERTY(QVariantList lineColours MEMBER lineColours_ NOTIFY coloursChanged)

 public:
  explicit PreviewItem(QQuickItem* parent = nullptr);
  const Preview& preview() const { return preview_; }
  void setPreview(const Preview& preview);

 Q_SIGNALS:
  void previewChanged();
  void coloursChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  Preview preview_;
  QVariantList lineColours_;
  bool renew_ = false;  // the texture is of another picture
};

}  // namespace hw::app
