// Steps from node to node by the keyboard.
#pragma once

#include "app/models/graph/graph_model.h"

namespace hw::app {

/// The nearest node in a direction, (±1, 0) or (0, ±1), from a node; from none ("") the nearest to `centre`, in canvas
/// units. What lies aside counts twice. "": there is none.
QString next_node(const GraphModel& graph, const QString& from, QPointF centre, int dx, int dy);

}  // namespace hw::app
