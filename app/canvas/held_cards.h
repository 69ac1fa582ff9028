// HeldCards: nodes and frames in hand: what moves together, and where each was before.
#pragma once

#include <QHash>
#include <QPointF>

#include "app/canvas/canvas_frames.h"

namespace hw::app {

/// GUI thread. Its moves are one step of history, which ends with GraphEdits::endGesture().
class HeldCards {
 public:
  /// This node, or this frame, is pressed: the other is "". It leads what moves.
  void press(const QString& node, const QString& frame);
  const QString& node() const { return node_; }
  const QString& frame() const { return frame_; }

  /// Takes up what is selected, with all that lies in the frames.
  void take(const GraphModel& graph, const CanvasFrames& frames);
  /// Moves all alike, so that the one that leads lies on the grid, nearest to `by` from where it was.
  void follow(GraphModel& graph, QPointF by) const;
  void putBack(GraphModel& graph) const;
  /// A single node is held, which has no wires: it may go into one.
  bool isLooseNode(const GraphModel& graph) const;

 private:
  QString node_, frame_;
  QHash<QString, QPointF> nodes_, frames_;  // top left before
};

/// A frame whose side or corner is in hand.
class HeldSide {
 public:
  void take(const Frame& frame, const Sides& sides);
  /// The side that is moved comes to lie on the grid.
  void follow(GraphModel& graph, QPointF by) const;
  void putBack(GraphModel& graph) const;

 private:
  Frame before_;
  Sides sides_;
};

}  // namespace hw::app
