// FarLayer: all nodes as plain rectangles: what is drawn instead of cards from afar, and while cards are still made.
#pragma once

#include "app/canvas/chunk_layer.h"

namespace hw::app {

class FarLayer : public ChunkLayer {
  Q_OBJECT
 public:
  explicit FarLayer(QQuickItem* parent = nullptr) : ChunkLayer(256, parent) {}

 protected:
  int count() const override;
  void fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const override;
  void watch() override;

 private:
  void follow_graph();
  void touch_rows(const QModelIndex& first, const QModelIndex& last, const QVector<int>& roles);
};

}  // namespace hw::app
