// CompareLayer: what a comparison marks on the canvas: rings and signs at cards and wires, ghosts of what is not there.
#pragma once

#include "app/canvas/chunk_layer.h"

namespace hw::app {

class CompareLayer : public ChunkLayer {
  Q_OBJECT
 public:
  explicit CompareLayer(QQuickItem* parent = nullptr) : ChunkLayer(128, parent) {}

 protected:
  int count() const override { return static_cast<int>(things_.size()); }
  void fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const override;
  void watch() override;

 private:
  /// A card, a frame, a ghost (`rect`), or a wire (`curve`).
  struct Thing {
    Difference::Kind kind;
    bool is_wire = false, is_ghost = false;
    QRectF rect;
    WireCurve curve;
  };
  void follow_graph();
  void gather();
  std::vector<Thing> things_;
};

}  // namespace hw::app
