#include "app/canvas/register.h"

#include <QQmlEngine>

#include "app/canvas/canvas_frames.h"
#include "app/canvas/compare_layer.h"
#include "app/canvas/far_layer.h"
#include "app/canvas/frame_layer.h"
#include "app/canvas/gauge_item.h"
#include "app/canvas/graph_sketch.h"
#include "app/canvas/histogram_item.h"
#include "app/canvas/mesh_item.h"
#include "app/canvas/minimap.h"
#include "app/canvas/preview_item.h"
#include "app/canvas/wire_labels.h"
#include "app/canvas/wire_layer.h"
#include "app/models/graph/node_search.h"
#include "app/models/keys/key_bindings.h"

namespace hw::app {

void registerCanvasTypes() {
  const char* const uri = "Halfwire.Canvas";
  qmlRegisterType<CanvasView>(uri, 1, 0, "CanvasView");
  qmlRegisterType<WireLayer>(uri, 1, 0, "WireLayer");
  qmlRegisterType<GridItem>(uri, 1, 0, "GridItem");
  qmlRegisterType<HandLayer>(uri, 1, 0, "HandLayer");
  qmlRegisterType<CompareLayer>(uri, 1, 0, "CompareLayer");
  qmlRegisterType<FarLayer>(uri, 1, 0, "FarLayer");
  qmlRegisterType<FrameLayer>(uri, 1, 0, "FrameLayer");
  qmlRegisterType<GaugeItem>(uri, 1, 0, "GaugeItem");
  qmlRegisterType<GraphSketch>(uri, 1, 0, "GraphSketch");
  qmlRegisterType<HistogramItem>(uri, 1, 0, "HistogramItem");
  qmlRegisterType<PreviewItem>(uri, 1, 0, "PreviewItem");
  qmlRegisterType<NodeSearch>(uri, 1, 0, "NodeSearch");
  qmlRegisterType<Minimap>(uri, 1, 0, "Minimap");
  qmlRegisterType<WireLabels>(uri, 1, 0, "WireLabels");
  qmlRegisterUncreatableType<Camera>(uri, 1, 0, "Camera", QStringLiteral("A CanvasView has one"));
  qmlRegisterUncreatableType<WireDrag>(uri, 1, 0, "WireDrag", QStringLiteral("A CanvasView has one"));
  qmlRegisterSingletonType<KeyBindings>(uri, 1, 0, "KeyBindings",
                                        [](QQmlEngine*, QJSEngine*) { return new KeyBindings; });
  qmlRegisterAnonymousType<GraphModel>(uri, 1);
  qmlRegisterUncreatableType<GraphEdits>(uri, 1, 0, "GraphEdits", QStringLiteral("A GraphModel has one"));
  qmlRegisterAnonymousType<GraphClipboard>(uri, 1);
  qmlRegisterAnonymousType<Groups>(uri, 1);
  qmlRegisterAnonymousType<Frames>(uri, 1);
  qmlRegisterUncreatableType<CanvasFrames>(uri, 1, 0, "CanvasFrames", QStringLiteral("A CanvasView has one"));
  qmlRegisterAnonymousType<Arrangement>(uri, 1);
  qmlRegisterAnonymousType<GraphFind>(uri, 1);
  qmlRegisterAnonymousType<Comparison>(uri, 1);
}

}  // namespace hw::app
