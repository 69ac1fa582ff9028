// PictureItem: the original on the left of the split, the network's picture on the right, fitted into the item.
#pragma once

#include "app/models/views/picture_model.h"
#include "app/plots/watching_item.h"

namespace hw::app {

/// A scene-graph item. GUI thread, but for updatePaintNode.
class PictureItem : public WatchingItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::PictureModel* model READ model WRITE setModel NOTIFY modelChanged)
  /// Share of the picture's width that shows the original.
  Q_PROPERTY(double split MEMBER split_ WRITE setSplit NOTIFY splitChanged)
  /// Where the picture lies in the item.
  Q_PROPERTY(QRectF area READ area NOTIFY areaChanged)

 public:
  explicit PictureItem(QQuickItem* parent = nullptr);

  PictureModel* model() const { return static_cast<PictureModel*>(view()); }
  void setModel(PictureModel* model) { setView(model); }
  void setSplit(double split);
  QRectF area() const;

 Q_SIGNALS:
  void splitChanged();
  void areaChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void refresh() override;

 private:
  double split_ = 0.5;
};

}  // namespace hw::app
