#include "app/desktop/ui_dump.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSaveFile>

namespace hw::app {
namespace {

constexpr int kPollMs = 50;

/// The first of some properties that the item has.
QVariant first_of(const QObject& item, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const QVariant value = item.property(name);
    if (value.isValid()) return value;
  }
  return {};
}

/// `within`: the nearest item around this one that has a name, and its text.
void list(const QQuickItem& item, const QRectF& clip, const QPointF& origin, std::pair<QString, QString> within,
          QJsonArray& out) {
  if (!item.isVisible() || item.opacity() <= 0) return;
  const QRectF rect = item.mapRectToScene(QRectF(0, 0, item.width(), item.height()));
  const QRectF seen = rect.intersected(clip);
  const QString text = first_of(item, {"text", "title", "displayText"}).toString();
  const QString tip = item.property("tip").toString();
  const bool named = !item.objectName().isEmpty();
  if (!seen.isEmpty() && (named || !tip.isEmpty() || (!text.isEmpty() && text != within.second))) {
    QJsonObject o{{"name", item.objectName()},     {"x", origin.x() + seen.x()}, {"y", origin.y() + seen.y()},
                  {"width", seen.width()},         {"height", seen.height()},    {"enabled", item.isEnabled()},
                  {"focus", item.hasActiveFocus()}};
    if (!named) o["within"] = within.first;
    if (!text.isEmpty()) o["text"] = text;
    if (!tip.isEmpty() && tip != text) o["tip"] = tip;
    for (const char* name :
         {"checked", "value", "currentIndex", "count", "currentText", "readOnly", "state", "coarse"}) {
      const QVariant value = item.property(name);
      if (value.isValid() && !value.toString().isEmpty()) o[QLatin1String(name)] = QJsonValue::fromVariant(value);
    }
    out.append(o);
  }
  if (named) within = {item.objectName(), text};
  const QRectF inner = item.clip() ? seen : clip;
  for (const QQuickItem* child : item.childItems()) list(*child, inner, origin, within, out);
}

}  // namespace

UiDump* UiDump::start(QQuickWindow* window) {
  const QString path = qEnvironmentVariable("HALFWIRE_UI_DUMP");
  return path.isEmpty() ? nullptr : new UiDump(window, path);
}

UiDump::UiDump(QQuickWindow* window, QString path) : QObject(window), window_(window), path_(std::move(path)) {
  window->installEventFilter(this);
  poll_.setInterval(kPollMs);
  poll_.setObjectName("UiDump");
  connect(&poll_, &QTimer::timeout, this, &UiDump::poll);
  poll_.start();
}

bool UiDump::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    constexpr auto chord = Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier;
    if (key->key() == Qt::Key_D && (key->modifiers() & chord) == chord) {
      write();
      return true;
    }
  }
  return QObject::eventFilter(object, event);
}

void UiDump::poll() {
  if (QFile::remove(path_ + QStringLiteral(".request"))) write();
}

void UiDump::write() const {
  const QPointF origin = window_->mapToGlobal(QPointF(0, 0));
  QJsonArray items{QJsonObject{{"name", "window"},
                               {"x", origin.x()},
                               {"y", origin.y()},
                               {"width", window_->width()},
                               {"height", window_->height()}}};
  list(*window_->contentItem(), QRectF(QPointF(0, 0), QSizeF(window_->size())), origin, {}, items);
  const double pixels = window_->effectiveDevicePixelRatio();
  for (QJsonValueRef item : items) {
    QJsonObject o = item.toObject();
    for (const char* name : {"x", "y", "width", "height"})
      o[QLatin1String(name)] = o[QLatin1String(name)].toDouble() * pixels;
    item = o;
  }
  QSaveFile file(path_);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(QJsonDocument(items).toJson());
  file.commit();
}

}  // namespace hw::app
