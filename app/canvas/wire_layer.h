// WireLayer: all wires in one item, or those that cards lie over.
#pragma once

#include "app/canvas/chunk_layer.h"

namespace hw::app {

class WireLayer : public ChunkLayer {
  Q_OBJECT
  /// Only wires that run under a card at neither of their ends: to be laid faintly over the cards, so that no wire
  /// seems to come out of a card that it does not belong to. None where cards cannot be read.
  Q_PROPERTY(bool coveredOnly MEMBER covered_only_ NOTIFY coveredOnlyChanged)
 public:
  explicit WireLayer(QQuickItem* parent = nullptr) : ChunkLayer(96, parent) {}

 Q_SIGNALS:
  void coveredOnlyChanged();

 protected:
  int count() const override;
  void fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const override;
  void watch() override;

 private:
  void touch_looks();
  /// Whether a card that is at neither of its ends hides a part of it.
  bool covered(const Wire& wire) const;
  bool covered_only_ = false;
  int lit_ = -1;
  std::vector<Link> taken_;
};

}  // namespace hw::app
