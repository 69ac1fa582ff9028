#include "app/desktop/frame_pacing.h"

#include <QCoreApplication>
#include <QEvent>
#include <QQuickWindow>
#include <QThread>
#include <utility>

namespace hw::app {
namespace {

constexpr int kPatienceMs = 100;

}  // namespace

FramePacing::FramePacing(QQuickWindow* window) : QObject(window), window_(window) {
  patience_.setSingleShot(true);
  patience_.setInterval(kPatienceMs);
  connect(&patience_, &QTimer::timeout, this, [this] {
    drawing_ = false;
    release();
  });
  connect(
      window, &QQuickWindow::afterSynchronizing, this, [this] { drawing_ = QThread::currentThread() != thread(); },
      Qt::DirectConnection);
  connect(
      window, &QQuickWindow::frameSwapped, this, [this] { drawing_ = false; }, Qt::DirectConnection);
  // By then the next frame may be drawn already: its own swap releases what waits for it.
  connect(
      window, &QQuickWindow::frameSwapped, this,
      [this] {
        if (!drawing_) release();
      },
      Qt::QueuedConnection);
  window->installEventFilter(this);
}

bool FramePacing::eventFilter(QObject* watched, QEvent* event) {
  if (watched != window_ || event->type() != QEvent::UpdateRequest || !drawing_) return false;
  held_ = true;
  if (!patience_.isActive()) patience_.start();
  return true;
}

void FramePacing::release() {
  patience_.stop();
  if (!std::exchange(held_, false)) return;
  QEvent request(QEvent::UpdateRequest);
  QCoreApplication::sendEvent(window_, &request);
}

}  // namespace hw::app
