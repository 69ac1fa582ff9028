// WireLayer: all wires in one item. Geometry in canvas units under one transform, so that panning moves a matrix only.
#pragma once

#include <QPointer>
#include <QQuickItem>
#include <QSet>

#include "app/canvas/canvas_view.h"
#include "app/canvas/wire_strip.h"

namespace hw::app {

class WireLayer : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::CanvasView* view READ view WRITE setView NOTIFY viewChanged)

 public:
  explicit WireLayer(QQuickItem* parent = nullptr) : QQuickItem(parent) { setFlag(ItemHasContents); }
  CanvasView* view() const { return view_; }
  void setView(CanvasView* view);

 signals:
  void viewChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;

 private:
  /// Wires a geometry node holds: what one touched wire costs.
  static constexpr int kChunk = 48;
  void touch_all();
  void touch(const QVector<int>& wires);
  void touch_looks();
  void follow_camera();
  void fill(StripMesh& mesh, int chunk) const;

  QPointer<CanvasView> view_;
  bool all_ = true;
  QSet<int> chunks_;
  double built_zoom_ = 0;
  QRectF built_;  // canvas area the geometry is complete in
  int lit_ = -1;
  std::vector<Link> taken_;
};

}  // namespace hw::app
