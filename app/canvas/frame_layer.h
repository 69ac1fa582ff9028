// FrameLayer: the boxes of all frames and notes in one item. Their words are items of their own: see canvas_frames.h.
#pragma once

#include "app/canvas/chunk_layer.h"

namespace hw::app {

/// Smaller ones lie on larger ones.
class FrameLayer : public ChunkLayer {
  Q_OBJECT
 public:
  explicit FrameLayer(QQuickItem* parent = nullptr) : ChunkLayer(64, parent) {}

 protected:
  int count() const override { return static_cast<int>(looks_.size()); }
  void fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const override;
  void watch() override;

 private:
  struct Look {
    QRectF rect;  // canvas units
    QRgb tint = 0;
    bool note = false, selected = false;
    bool operator==(const Look&) const = default;
  };
  void look();
  std::vector<Look> looks_;
};

}  // namespace hw::app
