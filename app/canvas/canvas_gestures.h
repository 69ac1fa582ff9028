// CanvasGestures: what a hand does on the canvas. A press decides what it may become, movement decides what it is, a
// release ends it.
#pragma once

#include <QPointer>
#include <QTimer>
#include <optional>

#include "app/canvas/canvas_hit.h"
#include "app/canvas/held_cards.h"
#include "app/canvas/wire_drag.h"

namespace hw::app {

/// Points are those of the screen unless they are said to be of the canvas. GUI thread.
class CanvasGestures : public QObject {
  Q_OBJECT

 public:
  enum class Gesture : uint8_t { none, pan, box, node_pressed, move, resize, wire, cut, reroute, menu };

  /// `drag` outlives this.
  CanvasGestures(const CanvasParts& parts, WireDrag& drag);
  /// After cancel().
  void setGraph(GraphModel* graph) { graph_ = graph; }
  /// That the canvas is seen in: at its border a drag moves the camera.
  void setView(QSizeF size) { view_ = size; }
  bool autoPan() const { return auto_pans_; }
  void setAutoPan(bool on) { auto_pans_ = on; }

  Gesture gesture() const { return gesture_; }
  bool busy() const { return gesture_ != Gesture::none; }
  /// The pointer's shape for the gesture; nothing: it stays as it was.
  std::optional<Qt::CursorShape> shape() const;
  /// The merge id of the steps that the gesture makes while it goes on; −1: it makes none.
  int ownSteps() const;
  QPointF cursor() const { return cursor_; }
  /// Without effect on a gesture.
  void setCursor(QPointF at) { cursor_ = at; }
  /// Where the press was, or where a box has its first corner.
  QPointF from() const { return press_; }
  /// The box being drawn; null when there is none.
  QRectF box() const { return gesture_ == Gesture::box ? QRectF(press_, cursor_).normalized() : QRectF(); }
  /// The wire that the node in hand would go into; −1: none.
  int dropWire() const { return drop_wire_; }
  void forgetDropWire() { drop_wire_ = -1; }
  /// While the space bar is held, the left button pans.
  void setSpace(bool held) { space_ = held; }

  /// Nothing, while a gesture goes on: a second button changes nothing.
  void press(QPointF at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
  void moveTo(QPointF at);
  /// The cursor came to lie elsewhere on the canvas.
  void followCamera();
  /// What it was that ended, none included; nothing: another button goes on.
  std::optional<Gesture> release(QPointF at, Qt::MouseButton button);
  /// Ends a gesture in progress without effect, and a wire that waits for the search. False: there was neither.
  bool cancel();

 Q_SIGNALS:
  /// Another gesture, or none, goes on.
  void changed();
  /// What is drawn of it follows the cursor.
  void drawn();
  void dropWireChanged();
  /// At a place of the canvas; with a socket, only what fits it.
  void searchRequested(QPointF at, const QString& node, const QString& socket, bool isOutput);
  void nodeMenuRequested(const QString& node);
  void frameMenuRequested(const QString& frame);
  void viewRequested(const QString& node);

 private:
  void set(Gesture gesture);
  void press_left(const CanvasHit& hit, Qt::KeyboardModifiers modifiers);
  void press_node(const QString& node, bool add);
  void press_wire(int wire, bool add);
  void press_frame(const FrameHit& hit, bool add);
  void drag_to_cursor();
  void follow_move();
  void finish_box();
  void finish_move();
  void finish_cut();
  void finish_reroute();
  void finish_wire(bool clicked);
  void release_menu();
  void pan_at_border();
  /// From the press to the cursor, in canvas units.
  QPointF moved() const { return parts_.camera.toCanvas(cursor_) - press_canvas_; }
  /// Too little for a movement.
  bool clicked() const;
  Document& document() const { return graph_->document(); }

  const CanvasParts parts_;
  WireDrag& drag_;
  QPointer<GraphModel> graph_;
  QSizeF view_;
  Gesture gesture_ = Gesture::none;
  QPointF cursor_, press_, last_;
  QPointF press_canvas_;
  Qt::MouseButton press_button_ = Qt::NoButton;  // that the gesture goes on with
  QSet<QString> box_base_, box_base_frames_;
  HeldCards held_;
  HeldSide side_;
  bool narrow_on_release_ = false;
  bool space_ = false;
  int drop_wire_ = -1;
  QTimer auto_pan_;
  bool auto_pans_ = true;
};

}  // namespace hw::app
