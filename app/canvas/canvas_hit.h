// What lies under a point of the canvas.
#pragma once

#include "app/canvas/camera.h"
#include "app/canvas/canvas_frames.h"
#include "app/canvas/node_grid.h"
#include "app/canvas/wire_set.h"

namespace hw::app {

/// What lies on the canvas, and how it is seen. All of it outlives who holds this.
struct CanvasParts {
  Camera& camera;
  const NodeGrid& nodes;
  const WireSet& wires;
  CanvasFrames& frames;
};

/// What lies under a point, topmost first: socket, node, wire, frame.
struct CanvasHit {
  enum class What : uint8_t { empty, node, socket, wire, frame } what = What::empty;
  QString node;
  std::string socket;
  bool is_output = false;
  int wire = -1;
  bool field = false;  // of a node: over the fields of its parameters
  FrameHit frame = {};
  bool operator==(const CanvasHit&) const = default;
};

/// `screen` is within reach of it: some pixels around a socket or wire, whatever the zoom.
CanvasHit hit_at(const GraphModel& graph, const CanvasParts& parts, QPointF screen);

/// The pointer's shape over it.
Qt::CursorShape shape_over(const CanvasHit& hit);

}  // namespace hw::app
