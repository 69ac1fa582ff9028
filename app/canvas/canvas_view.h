// CanvasView: the surface under the cards: camera, wires, hover, and the gestures of mouse and touchpad.
#pragma once

#include <QPointer>
#include <QQuickItem>
#include <QTimer>

#include "app/canvas/camera.h"
#include "app/canvas/canvas_frames.h"
#include "app/canvas/node_grid.h"
#include "app/canvas/previews_in_view.h"
#include "app/canvas/visible_nodes.h"
#include "app/canvas/wire_drag.h"
#include "app/canvas/wire_set.h"

namespace hw::app {

/// Canvas units that nodes and frames are placed on.
inline constexpr double kMoveGrid = 8;

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
  Q_PROPERTY(bool autoPan MEMBER auto_pans_ NOTIFY autoPanChanged)
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
  int litWire() const { return drop_wire_ >= 0 ? drop_wire_ : hover_.wire; }
  QPointF cursor() const { return cursor_; }
  QRectF box() const { return gesture_ == Gesture::box ? QRectF(press_, cursor_).normalized() : QRectF(); }
  /// A line is being drawn across wires, from cutFrom to the cursor: to cut them, or to put reroutes on them.
  bool cutting() const { return gesture_ == Gesture::cut; }
  bool rerouting() const { return gesture_ == Gesture::reroute; }
  QPointF cutFrom() const { return press_; }
  bool busy() const { return gesture_ != Gesture::none; }
  int geometryTick() const { return tick_; }

  CanvasHit hit(QPointF screen) const;
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
  Q_INVOKABLE bool cancelGesture();

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
  enum class Gesture : uint8_t { none, pan, box, node_pressed, move, resize, wire, cut, reroute, menu };
  void set_gesture(Gesture gesture);
  /// The merge id of the steps that the gesture makes while it goes on; −1: it makes none.
  int own_steps() const;
  void press_left(const CanvasHit& hit, Qt::KeyboardModifiers modifiers);
  void press_node(const QString& node, bool add);
  void press_wire(int wire, bool add);
  void press_frame(const FrameHit& hit, bool add);
  void follow_resize();
  Qt::CursorShape cursor_over(const CanvasHit& hit) const;
  void begin_move();
  void drag_to_cursor();
  void follow_move();
  void finish_box();
  void finish_move();
  void finish_cut();
  void finish_reroute();
  void release_menu();
  void auto_pan();
  void update_hover();
  void on_geometry();
  Document& document() const { return graph_->document(); }

  /// The view of a graph when another took its place.
  struct Place {
    double zoom;
    QPointF origin;
    bool framed;
  };
  QPointer<GraphModel> graph_;
  void keep_place();
  /// Restores the view of the graph that is shown, or frames all of it.
  void go_to_place();
  void forget_places(const QObject* graph);
  QHash<QPair<const QObject*, QString>, Place> places_;  // by graph and the path of the group that is shown
  QString level_;
  Camera camera_;
  NodeGrid grid_;
  WireSet wires_;
  WireDrag drag_{grid_};
  VisibleNodes visible_{VisibleNodes::Of::cards, camera_, grid_};
  VisibleNodes names_{VisibleNodes::Of::names, camera_, grid_};
  PreviewsInView previews_{camera_, grid_};
  CanvasFrames frames_{camera_};
  QVariantMap colours_;
  bool gauges_ = true;
  QString note_;
  CanvasHit hover_;
  Gesture gesture_ = Gesture::none;
  QPointF cursor_, press_, last_;
  QPointF press_canvas_;
  Qt::KeyboardModifiers press_modifiers_;
  Qt::MouseButton press_button_ = Qt::NoButton;  // that the gesture goes on with
  QSet<QString> box_base_, box_base_frames_;
  QString pressed_node_, pressed_frame_;  // one of them
  bool narrow_on_release_ = false;
  bool space_ = false;
  bool framed_ = false;  // all was framed and the camera not moved since: it stays so as the panel is resized
  QHash<QString, QPointF> move_start_, frame_start_;
  Frame resize_from_;
  Sides resize_sides_;
  int drop_wire_ = -1;
  int tick_ = 0;
  QTimer auto_pan_{this};
  bool auto_pans_ = true;
};

}  // namespace hw::app
