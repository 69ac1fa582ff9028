// CanvasView: the surface under the cards: camera, wires, hover, and the events of mouse and touchpad.
#pragma once

#include <QPointer>
#include <QQuickItem>

#include "app/canvas/canvas_gestures.h"
#include "app/canvas/kept_views.h"
#include "app/canvas/previews_in_view.h"
#include "app/canvas/visible_nodes.h"

namespace hw::app {

/// GUI thread. Hands what is under the pointer, what the hand does and how graphs were seen to classes of their own.
class CanvasView : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::GraphModel* graph READ graph WRITE setGraph NOTIFY graphChanged)
  /// Theme tokens to colours, for all that is not QML.
  Q_PROPERTY(QVariantMap colours READ colours WRITE setColours NOTIFY coloursChanged)
  Q_PROPERTY(hw::app::Camera* camera READ camera CONSTANT)
  Q_PROPERTY(hw::app::WireDrag* wireDrag READ wireDrag CONSTANT)
  /// The nodes that need cards.
  Q_PROPERTY(QAbstractItemModel* nodes READ nodes CONSTANT)
  /// The nodes whose names are written on the rectangles that are drawn from afar.
  Q_PROPERTY(QAbstractItemModel* farNodes READ farNodes CONSTANT)
  Q_PROPERTY(hw::app::CanvasFrames* frames READ frames CONSTANT)
  Q_PROPERTY(QString hoverNode READ hoverNode NOTIFY hoverChanged)
  /// "hash_grid:out:features".
  Q_PROPERTY(QString hoverSocket READ hoverSocket NOTIFY hoverChanged)
  /// dtype and shape of the wire under the cursor, and its heat under the heat map, or "".
  Q_PROPERTY(QString hoverWireText READ hoverWireText NOTIFY hoverChanged)
  /// The tooltip of a comparison for the card under the cursor, and its heat, but not over its fields; or "".
  Q_PROPERTY(QString hoverNodeText READ hoverNodeText NOTIFY hoverChanged)
  /// Whether cards have gauges at their outputs.
  Q_PROPERTY(bool gauges MEMBER gauges_ NOTIFY gaugesChanged)
  /// Whether a drag that is held at an edge of the canvas moves the camera.
  Q_PROPERTY(bool autoPan READ autoPan WRITE setAutoPan NOTIFY autoPanChanged)
  /// The tooltip of the item under the pointer, set by that item; replaces the wire's or socket's.
  Q_PROPERTY(QString note MEMBER note_ NOTIFY noteChanged)
  /// The cursor, in screen coordinates.
  Q_PROPERTY(QPointF cursor READ cursor NOTIFY cursorMoved)
  /// The box being drawn, in screen coordinates; null when there is none.
  Q_PROPERTY(QRectF box READ box NOTIFY gestureChanged)
  Q_PROPERTY(bool busy READ busy NOTIFY gestureChanged)
  /// Counts geometry changes, to bind positions along wires to.
  Q_PROPERTY(int geometryTick READ geometryTick NOTIFY geometryTicked)

 public:
  explicit CanvasView(QQuickItem* parent = nullptr);

  GraphModel* graph() const { return graph_; }
  /// A graph that was shown before is shown where it was left.
  void setGraph(GraphModel* graph);
  const QVariantMap& colours() const { return colours_; }
  void setColours(const QVariantMap& colours);
  Camera* camera() { return &camera_; }
  const Camera* camera() const { return &camera_; }
  WireDrag* wireDrag() { return &drag_; }
  WireSet* wires() { return &wires_; }
  const NodeGrid& nodeGrid() const { return grid_; }
  QAbstractItemModel* nodes() { return &visible_; }
  /// Nodes that have cards now.
  int shownNodes() const { return visible_.shown(); }
  /// Whether rectangles stand for nodes: from afar, and where cards are still made.
  bool standIns() const { return camera_.far() || visible_.pending(); }
  QAbstractItemModel* farNodes() { return &names_; }
  CanvasFrames* frames() { return &frames_; }

  QString hoverNode() const { return hover_.node; }
  QString hoverSocket() const;
  QString hoverWireText() const;
  QString hoverNodeText() const;
  /// The wire to highlight: under the cursor, or where a dragged node would go in.
  int litWire() const { return gestures_.dropWire() >= 0 ? gestures_.dropWire() : hover_.wire; }
  QPointF cursor() const { return gestures_.cursor(); }
  QRectF box() const { return gestures_.box(); }
  /// A line is being drawn across wires, from cutFrom to the cursor: to cut them, or to put reroutes on them.
  bool cutting() const { return gestures_.gesture() == Gesture::cut; }
  bool rerouting() const { return gestures_.gesture() == Gesture::reroute; }
  QPointF cutFrom() const { return gestures_.from(); }
  bool busy() const { return gestures_.busy(); }
  int geometryTick() const { return tick_; }
  bool autoPan() const { return gestures_.autoPan(); }
  void setAutoPan(bool on);

  CanvasHit hit(QPointF screen) const { return graph_ ? hit_at(*graph_, parts_, screen) : CanvasHit(); }
  /// Middle of a wire, on the canvas.
  Q_INVOKABLE QPointF wireMiddle(const QString& from, const QString& fromSocket, const QString& to,
                                 const QString& toSocket) const;
  /// Where words of this size about a wire cover no card, in screen coordinates: {x, y, at: the wire's point}.
  Q_INVOKABLE QVariantMap pillPlace(const QString& from, const QString& fromSocket, const QString& to,
                                    const QString& toSocket, QSizeF size) const;
  /// WireSet::heatColour.
  Q_INVOKABLE QColor heatColour(double heat) const { return wires_.heatColour(heat); }
  /// Keys go to the canvas, and no longer to a field that lies on it.
  Q_INVOKABLE void takeFocus();
  Q_INVOKABLE void frameAll();
  Q_INVOKABLE void frameSelection();
  /// Selects a node and brings it into view.
  Q_INVOKABLE void revealNode(const QString& id);
  /// Deletes the selected wires and nodes.
  Q_INVOKABLE void deleteSelected();
  /// Selects the nearest node in a direction from the active one.
  Q_INVOKABLE void step(int dx, int dy);
  /// Ends a gesture in progress without effect. False when there was none.
  Q_INVOKABLE bool cancelGesture() { return gestures_.cancel(); }

 Q_SIGNALS:
  void graphChanged();
  void coloursChanged();
  void gaugesChanged();
  void noteChanged();
  void autoPanChanged();
  void hoverChanged();
  void cursorMoved();
  void gestureChanged();
  void geometryTicked();
  void standInsChanged();
  /// Open the search at a canvas position; with a socket, only what fits it.
  void searchRequested(QPointF at, const QString& node, const QString& socket, bool isOutput);
  /// On a card, but for its fields.
  void nodeDoubleClicked(const QString& node, QPointF at);
  void nodeMenuRequested(const QString& node);
  void frameMenuRequested(const QString& frame);
  void viewRequested(const QString& node);

 protected:
  void geometryChange(const QRectF& now, const QRectF& before) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseUngrabEvent() override;
  void hoverMoveEvent(QHoverEvent* event) override;
  void hoverLeaveEvent(QHoverEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  /// Around all cards and frames.
  QRectF bounds() const;
  using Gesture = CanvasGestures::Gesture;
  void on_gesture();
  void update_hover();
  void on_geometry();
  Document& document() const { return graph_->document(); }
  void keep_view();
  /// Restores the view of the graph that is shown, or frames all of it.
  void restore_view();

  QPointer<GraphModel> graph_;
  KeptViews kept_;
  QString level_;  // the path of the group that is shown
  Camera camera_;
  NodeGrid grid_;
  WireSet wires_;
  WireDrag drag_{grid_};
  VisibleNodes visible_{VisibleNodes::Of::cards, camera_, grid_};
  VisibleNodes names_{VisibleNodes::Of::names, camera_, grid_};
  PreviewsInView previews_{camera_, grid_};
  CanvasFrames frames_{camera_};
  const CanvasParts parts_{camera_, grid_, wires_, frames_};
  CanvasGestures gestures_{parts_, drag_};
  QVariantMap colours_;
  bool gauges_ = true;
  QString note_;
  CanvasHit hover_;
  bool framed_ = false;  // all was framed and the camera not moved since: it stays so as the panel is resized
  int tick_ = 0;
};

}  // namespace hw::app
