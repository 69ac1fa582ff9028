// A canvas in a window of its own, and hands to use it: real events at the places of named items.
#pragma once

#include <QPointer>
#include <QQuickView>
#include <QTemporaryDir>
#include <memory>

#include "app/canvas/canvas_view.h"

namespace hw::app {

class CanvasFixture {
 public:
  CanvasFixture();
  ~CanvasFixture();

  Document document;
  GraphModel graph{document};
  std::unique_ptr<QQuickView> window;
  CanvasView* surface = nullptr;
  QStringList warnings;  // of the QML engine

  /// The visible item of that objectName, wherever it lives; null when there is none.
  QQuickItem* item(const QString& name) const;
  /// Its middle in the window; fails the test when it is missing.
  QPoint middle(const QString& name) const;
  QPoint on_screen(QPointF canvas) const;

  void click(QPoint at, Qt::KeyboardModifiers modifiers = Qt::NoModifier, Qt::MouseButton button = Qt::LeftButton);
  void press(QPoint at, Qt::KeyboardModifiers modifiers = Qt::NoModifier, Qt::MouseButton button = Qt::LeftButton);
  void move(QPoint at);
  void release(QPoint at, Qt::KeyboardModifiers modifiers = Qt::NoModifier, Qt::MouseButton button = Qt::LeftButton);
  void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier,
            Qt::MouseButton button = Qt::LeftButton);
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  void type(const QString& text);
  void wheel(QPoint at, int angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
  /// Two fingers on a touchpad.
  void scroll(QPoint at, QPoint pixels);
  /// Two fingers on a touchpad that part, or meet, by these factors one after the other.
  void pinch(QPoint at, const std::vector<double>& factors);

  /// Puts a node straight into the document, as a start for a gesture.
  void put(const char* id, const char* type, double x, double y, ParamMap params = {});
  void wire(const char* from, const char* from_socket, const char* to, const char* to_socket);
  bool linked(const char* from, const char* from_socket, const char* to, const char* to_socket) const;

 private:
  void write_module();
  QTemporaryDir folder_;
};

}  // namespace hw::app
