// ChunkLayer: very many shapes in one item, a geometry node per chunk of them. In canvas units under one transform,
// so that panning changes a matrix, and a changed item costs its chunk.
#pragma once

#include <QPointer>
#include <QQuickItem>

#include "app/canvas/canvas_view.h"
#include "app/canvas/wire_strip.h"

namespace hw::app {

/// From afar nothing is left out, and what was built for another zoom is built anew a little a frame; from near what
/// lies around the view is built at once, and where cards can be read for exactly this zoom.
class ChunkLayer : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::CanvasView* view READ view WRITE setView NOTIFY viewChanged)

 public:
  CanvasView* view() const { return view_; }
  void setView(CanvasView* view);

 Q_SIGNALS:
  void viewChanged();

 protected:
  /// `chunk`: shapes per geometry node.
  ChunkLayer(int chunk, QQuickItem* parent) : QQuickItem(parent), chunk_(chunk) { setFlag(ItemHasContents); }
  virtual int count() const = 0;
  /// Adds shapes [first, end) that lie in the area. Called in the scene graph's sync phase.
  virtual void fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const = 0;
  /// Connect the signals that change shapes.
  virtual void watch() = 0;
  void touch_all();
  void touch(int thing);
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  QPointer<CanvasView> view_;

 private:
  struct Built {
    bool touched = true;
    double zoom = 0;
    QRectF area;
  };
  const int chunk_;
  std::vector<Built> built_;
  size_t next_ = 0;  // the chunk whose turn it is
};

}  // namespace hw::app
