#include "app/desktop/text_shortcuts.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QQuickItem>
#include <QQuickWindow>

namespace hw::app {
namespace {

/// Whether the field has something of its own to undo or redo.
bool owns(const QObject& field, const char* can) {
  const QVariant pending = field.property("pending");
  return pending.isValid() ? pending.toBool() : field.property(can).toBool();
}

}  // namespace

TextShortcuts::TextShortcuts(QQuickWindow& window) : QObject(&window), window_(window) {
  QCoreApplication::instance()->installEventFilter(this);
}

void TextShortcuts::commit() const {
  QQuickItem* field = window_.activeFocusItem();
  if (field && field->property("pending").toBool()) QMetaObject::invokeMethod(field, "commit");
}

bool TextShortcuts::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && object == window_.activeFocusItem()) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool undo = key->matches(QKeySequence::Undo);
    if ((undo || key->matches(QKeySequence::Redo)) && !owns(*object, undo ? "canUndo" : "canRedo")) {
      event->ignore();
      return true;
    }
  } else if (event->type() == QEvent::Shortcut) {
    commit();
  } else if (event->type() == QEvent::MouseButtonPress && object == &window_) {
    const QQuickItem* field = window_.activeFocusItem();
    const QPointF at = static_cast<QMouseEvent*>(event)->position();
    if (field && !field->contains(field->mapFromScene(at))) commit();
  }
  return false;
}

}  // namespace hw::app
