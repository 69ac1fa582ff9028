// MeshItem: an item whose whole look is one mesh of coloured triangles in its own coordinates.
#pragma once

#include <QPointer>
#include <QQuickItem>

#include "app/canvas/canvas_view.h"
#include "app/canvas/wire_strip.h"

namespace hw::app {

class MeshItem : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::CanvasView* view READ view WRITE setView NOTIFY viewChanged)

 public:
  explicit MeshItem(QQuickItem* parent = nullptr) : QQuickItem(parent) { setFlag(ItemHasContents); }
  CanvasView* view() const { return view_; }
  void setView(CanvasView* view);

 Q_SIGNALS:
  void viewChanged();

 protected:
  /// Called in the scene graph's sync phase.
  virtual void build(StripMesh& mesh) const = 0;
  /// Connect the signals that need a repaint.
  virtual void watch() = 0;
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;
  QRgb colour(const QString& token) const { return view_->wires()->colour(token).rgba(); }
  QPointer<CanvasView> view_;
};

/// Dots at the crossings of the canvas grid; their spacing follows the zoom in steps.
class GridItem : public MeshItem {
  Q_OBJECT
 protected:
  void build(StripMesh& mesh) const override;
  void watch() override;
};

/// The wire being dragged, and the line of a cut.
class HandLayer : public MeshItem {
  Q_OBJECT
 protected:
  void build(StripMesh& mesh) const override;
  void watch() override;
};

}  // namespace hw::app
