// UiDump: a read-only list of what is on the screen, for tests that use a real mouse and keys.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

class QQuickWindow;

namespace hw::app {

/// With HALFWIRE_UI_DUMP=path, Ctrl+Alt+Shift+D, or a file path.request that appears, makes the program write path: a
/// JSON array with one object for each visible item that has a name, a tip, or a text that the nearest named item
/// around it (`within`) does not have: {name, within, text, tip, x, y, width, height (screen pixels, what is clipped
/// away left out), enabled, focus, checked, value}. The file is renamed into place; the request is removed. Nothing can
/// be changed through it. Without the variable it does nothing.
class UiDump : public QObject {
 public:
  static UiDump* start(QQuickWindow* window);

 private:
  UiDump(QQuickWindow* window, QString path);
  bool eventFilter(QObject* object, QEvent* event) override;
  void poll();
  void write() const;
  QQuickWindow* window_;
  QString path_;
  QTimer poll_{this};
};

}  // namespace hw::app
