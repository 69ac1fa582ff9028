#include "tests/ui/canvas_fixture.h"

#include <QDir>
#include <QPointingDevice>
#include <QQmlEngine>
#include <QTest>
#include <QWheelEvent>

#include "app/canvas/register.h"
#include "tests/ui/patience.h"

namespace hw::app {
namespace {

const QString kRoot = QStringLiteral(HALFWIRE_SOURCE_DIR);

QQuickItem* find_below(QQuickItem* item, const QString& name) {
  if (!item->isVisible()) return nullptr;
  if (item->objectName() == name) return item;
  const QList<QQuickItem*> children = item->childItems();
  for (QQuickItem* child : children) {
    if (QQuickItem* found = find_below(child, name)) return found;
  }
  return nullptr;
}

const QPointingDevice* touchpad() {
  static const QPointingDevice device(QStringLiteral("touchpad"), 77, QInputDevice::DeviceType::TouchPad,
                                      QPointingDevice::PointerType::Finger, QInputDevice::Capability::PixelScroll, 2,
                                      0);
  return &device;
}

}  // namespace

CanvasFixture::CanvasFixture() {
  static const bool registered = (registerCanvasTypes(), true);
  Q_UNUSED(registered);
  write_module();
  window = std::make_unique<QQuickView>();
  window->setResizeMode(QQuickView::SizeRootObjectToView);
  window->engine()->addImportPath(folder_.path());
  QObject::connect(window->engine(), &QQmlEngine::warnings, [this](const QList<QQmlError>& errors) {
    for (const QQmlError& error : errors) warnings.append(error.toString());
  });
  window->setInitialProperties({{"graph", QVariant::fromValue(&graph)}, {"document", QVariant::fromValue(&document)}});
  window->setSource(QUrl::fromLocalFile(folder_.filePath(QStringLiteral("Halfwire/NodeCanvas.qml"))));
  window->resize(1200, 800);
  window->show();
  window->requestActivate();
  if (!window->rootObject()) qFatal("the canvas does not load: %s", qPrintable(warnings.join('\n')));
  surface = qobject_cast<CanvasView*>(item(QStringLiteral("canvas:surface")));
  if (!QTest::qWaitForWindowActive(window.get(), kPatienceMs)) qFatal("the window does not become active");
  surface->forceActiveFocus();
}

CanvasFixture::~CanvasFixture() {
  window.reset();
}

/// The QML module Halfwire as far as the canvas needs it.
void CanvasFixture::write_module() {
  const QDir root(folder_.path());
  root.mkpath(QStringLiteral("Halfwire"));
  QByteArray types = "module Halfwire\n";
  for (const char* part : {"theme", "controls", "canvas"}) {
    const QDir source(kRoot + QStringLiteral("/qml/") + QLatin1String(part));
    for (const QFileInfo& file : source.entryInfoList({QStringLiteral("*.qml")})) {
      QFile::copy(file.filePath(), root.filePath(QStringLiteral("Halfwire/") + file.fileName()));
      QFile text(file.filePath());
      const bool singleton = text.open(QIODevice::ReadOnly) && text.readAll().contains("\npragma Singleton");
      types += (singleton ? "singleton " : "") + file.baseName().toUtf8() + " 1.0 " + file.fileName().toUtf8() + "\n";
    }
  }
  QFile qmldir(root.filePath(QStringLiteral("Halfwire/qmldir")));
  if (qmldir.open(QIODevice::WriteOnly)) qmldir.write(types);
}

QQuickItem* CanvasFixture::item(const QString& name) const {
  return find_below(window->contentItem(), name);
}

QPoint CanvasFixture::middle(const QString& name) const {
  const QQuickItem* found = item(name);
  if (!found) {
    QTest::qFail(qPrintable("no visible item " + name), __FILE__, __LINE__);
    return {};
  }
  return found->mapToScene({found->width() / 2, found->height() / 2}).toPoint();
}

QPoint CanvasFixture::on_screen(QPointF canvas) const {
  return surface->mapToScene(surface->camera()->toScreen(canvas)).toPoint();
}

void CanvasFixture::press(QPoint at, Qt::KeyboardModifiers modifiers, Qt::MouseButton button) {
  QTest::mouseMove(window.get(), at);
  QTest::mousePress(window.get(), button, modifiers, at);
}

void CanvasFixture::move(QPoint at) {
  QTest::mouseMove(window.get(), at);
  QTest::qWait(10);
}

void CanvasFixture::release(QPoint at, Qt::KeyboardModifiers modifiers, Qt::MouseButton button) {
  QTest::mouseRelease(window.get(), button, modifiers, at);
  QTest::qWait(10);
}

void CanvasFixture::click(QPoint at, Qt::KeyboardModifiers modifiers, Qt::MouseButton button) {
  press(at, modifiers, button);
  release(at, modifiers, button);
  QTest::qWait(450);  // so that two clicks are not a double click
}

void CanvasFixture::drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers, Qt::MouseButton button) {
  press(from, modifiers, button);
  for (int i = 1; i <= 8; ++i) move(from + (to - from) * i / 8);
  release(to, modifiers, button);
}

void CanvasFixture::key(Qt::Key key, Qt::KeyboardModifiers modifiers) {
  QTest::keyClick(window.get(), key, modifiers);
  QTest::qWait(20);
}

void CanvasFixture::type(const QString& text) {
  for (const QChar c : text) QTest::keyClick(window.get(), c.toLatin1());
  QTest::qWait(20);
}

void CanvasFixture::wheel(QPoint at, int angle, Qt::KeyboardModifiers modifiers) {
  QWheelEvent event(at, window->mapToGlobal(at), {}, QPoint(0, angle), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  QCoreApplication::sendEvent(window.get(), &event);
}

void CanvasFixture::scroll(QPoint at, QPoint pixels) {
  QWheelEvent event(at, window->mapToGlobal(at), pixels, pixels * 8, Qt::NoButton, Qt::NoModifier, Qt::ScrollUpdate,
                    false, Qt::MouseEventNotSynthesized, touchpad());
  QCoreApplication::sendEvent(window.get(), &event);
}

void CanvasFixture::pinch(QPoint at, const std::vector<double>& factors) {
  const auto send = [&](Qt::NativeGestureType type, double value) {
    QNativeGestureEvent event(type, touchpad(), 2, at, at, window->mapToGlobal(at), value, {});
    QCoreApplication::sendEvent(window.get(), &event);
  };
  send(Qt::BeginNativeGesture, 0);
  for (const double factor : factors) send(Qt::ZoomNativeGesture, factor - 1);
  send(Qt::EndNativeGesture, 0);
}

void CanvasFixture::put(const char* id, const char* type, double x, double y, ParamMap params) {
  Node node;
  node.id = id;
  node.type = type;
  node.x = x;
  node.y = y;
  node.params = std::move(params);
  document.push(QStringLiteral("put"), {AddNode{std::move(node)}});
  QTest::qWait(20);
}

void CanvasFixture::wire(const char* from, const char* from_socket, const char* to, const char* to_socket) {
  document.push(QStringLiteral("wire"), {AddLink{Link{from, from_socket, to, to_socket}}});
  QTest::qWait(20);
}

bool CanvasFixture::linked(const char* from, const char* from_socket, const char* to, const char* to_socket) const {
  return document.graph().has_link({from, from_socket, to, to_socket});
}

}  // namespace hw::app
