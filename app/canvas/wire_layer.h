// WireLayer: all wires in one item.
#pragma once

#include "app/canvas/chunk_layer.h"

namespace hw::app {

class WireLayer : public ChunkLayer {
  Q_OBJECT
 public:
  explicit WireLayer(QQuickItem* parent = nullptr) : ChunkLayer(96, parent) {}

 protected:
  int count() const override;
  void fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const override;
  void watch() override;

 private:
  void touch_looks();
  int lit_ = -1;
  std::vector<Link> taken_;
};

}  // namespace hw::app
