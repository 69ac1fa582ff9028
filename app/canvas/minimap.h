// Minimap: all nodes as small rectangles, and which part of them is seen.
#pragma once

#include <QPointer>
#include <QQuickItem>
#include <QTimer>

#include "app/canvas/canvas_view.h"

namespace hw::app {

/// One mesh, made anew soon after nodes change; panning and zooming cost two rectangles.
class Minimap : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::CanvasView* view READ view WRITE setView NOTIFY viewChanged)
  /// What the canvas shows, in this item, cut off at its edges.
  Q_PROPERTY(QRectF seen READ seen NOTIFY seenChanged)
  /// How high the item must be to show all nodes across its whole width.
  Q_PROPERTY(double fullHeight READ fullHeight NOTIFY measured)
  /// There are nodes out of view.
  Q_PROPERTY(bool needed READ needed NOTIFY seenChanged)

 public:
  explicit Minimap(QQuickItem* parent = nullptr);
  CanvasView* view() const { return view_; }
  void setView(CanvasView* view);
  QRectF seen() const { return seen_; }
  double fullHeight() const { return full_height_; }
  bool needed() const { return needed_; }
  /// Moves the canvas so that what lies at this point of the item comes into its middle.
  Q_INVOKABLE void goTo(QPointF point);

 Q_SIGNALS:
  void viewChanged();
  void seenChanged();
  void measured();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void follow_graph();
  void measure();
  void look();
  QRectF to_map(const QRectF& canvas) const;

  QPointer<CanvasView> view_;
  QRectF all_;        // of all nodes, on the canvas
  double scale_ = 1;  // map pixels a canvas unit
  QPointF origin_;    // where the canvas's origin lies in the item
  QRectF seen_;
  double full_height_ = 0;
  bool needed_ = false;
  QTimer soon_;
};

}  // namespace hw::app
