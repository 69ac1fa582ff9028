// PreviewsInView: informs a GraphModel which of its nodes' previews are seen: those of cards in view that can be read.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "app/canvas/camera.h"
#include "app/canvas/node_grid.h"

namespace hw::app {

/// Once the camera and the cards have come to rest, so that a pan costs nothing. GUI thread.
class PreviewsInView : public QObject {
  Q_OBJECT

 public:
  PreviewsInView(const Camera& camera, const NodeGrid& grid, QObject* parent = nullptr);
  void setGraph(GraphModel* graph);
  /// Soon, as the camera or cards have moved.
  void follow() { soon_.start(); }

 private:
  void look();

  const Camera& camera_;
  const NodeGrid& grid_;
  QPointer<GraphModel> graph_;
  QTimer soon_;
};

}  // namespace hw::app
