// TextShortcuts: how the focused text field and the window's shortcuts share keys.
#pragma once

#include <QObject>

class QQuickWindow;

namespace hw::app {

/// One undo stack, whatever has the focus. A text field that stands for a value of the document has a property
/// `pending` (bool: its text is not the value) and a function `commit()`. While text is pending, Undo and Redo are the
/// field's own; otherwise they go to the window's shortcuts. Any other shortcut of the window, and a press of the mouse
/// outside the field, commit pending text first: nothing is saved or run without it. Of a field without `pending`, Undo
/// goes to the window when the field has nothing to undo. GUI thread.
class TextShortcuts : public QObject {
 public:
  explicit TextShortcuts(QQuickWindow& window);

 private:
  bool eventFilter(QObject* object, QEvent* event) override;
  void commit() const;
  QQuickWindow& window_;
};

}  // namespace hw::app
