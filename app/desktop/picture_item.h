// PictureItem: the original on the left of the split, the network's picture on the right, fitted into the item.
#pragma once

#include <QPointer>
#include <QQuickItem>

#include "app/models/picture_model.h"

namespace hw::app {

/// A scene-graph item. GUI thread, but for updatePaintNode.
class PictureItem : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::PictureModel* model READ model WRITE setModel NOTIFY modelChanged)
  /// Whether someone looks; the model keeps still otherwise.
  Q_PROPERTY(bool watching MEMBER watching_ WRITE setWatching NOTIFY modelChanged)
  /// Share of the picture's width that shows the original.
  Q_PROPERTY(double split MEMBER split_ WRITE setSplit NOTIFY splitChanged)
  /// Where the picture lies in the item.
  Q_PROPERTY(QRectF area READ area NOTIFY areaChanged)

 public:
  explicit PictureItem(QQuickItem* parent = nullptr);
  ~PictureItem() override;

  PictureModel* model() const { return model_; }
  void setModel(PictureModel* model);
  void setWatching(bool on);
  void setSplit(double split);
  QRectF area() const;

 Q_SIGNALS:
  void modelChanged();
  void splitChanged();
  void areaChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void refresh();
  QPointer<PictureModel> model_;
  bool watching_ = false;
  double split_ = 0.5;
};

}  // namespace hw::app
