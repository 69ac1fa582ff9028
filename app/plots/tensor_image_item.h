// TensorImageItem: the picture of a TensorImageModel, as large as fits, each element a sharp rectangle.
#pragma once

#include <QPointer>
#include <QQuickItem>

#include "app/models/tensors/tensor_image_model.h"

namespace hw::app {

/// A scene-graph item. GUI thread, but for updatePaintNode.
class TensorImageItem : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::TensorImageModel* model READ model WRITE setModel NOTIFY modelChanged)
  /// Where the picture lies in the item.
  Q_PROPERTY(QRectF content READ content NOTIFY contentChanged)

 public:
  explicit TensorImageItem(QQuickItem* parent = nullptr);
  TensorImageModel* model() const { return model_; }
  void setModel(TensorImageModel* model);
  /// Elements are square until the picture would be a line; then it is stretched.
  QRectF content() const;

 Q_SIGNALS:
  void modelChanged();
  void contentChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void refresh();
  QPointer<TensorImageModel> model_;
  bool renew_ = false;
};

}  // namespace hw::app
