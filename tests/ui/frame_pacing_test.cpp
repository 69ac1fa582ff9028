// FramePacing: while a frame is drawn the GUI thread goes on, and what it does meanwhile is in the next frame.
#include "app/desktop/frame_pacing.h"

#include <QQuickItem>
#include <QQuickWindow>
#include <QSemaphore>
#include <QtTest>

#include "tests/ui/patience.h"

namespace hw::app {

/// Whether a window was asked to draw again.
class UpdateRequests : public QObject {
 public:
  bool eventFilter(QObject*, QEvent* event) override {
    asked |= event->type() == QEvent::UpdateRequest;
    return false;
  }
  bool asked = false;
};

class FramePacingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The render thread waits for the GUI thread, which has asked for another frame before: without pacing it would
  /// wait for the render thread.
  void goesOnWhileAFrameIsDrawn() {
    QQuickWindow window;
    window.resize(200, 100);
    new FramePacing(&window);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window, kPatienceMs));
    UpdateRequests requests;
    window.installEventFilter(&requests);  // asked before FramePacing's
    QSemaphore met;
    std::atomic<int> frames{0};
    std::atomic<bool> missed{false}, begun{false};
    connect(
        &window, &QQuickWindow::beforeRendering, this,
        [&] {
          begun = true;
          if (!met.tryAcquire(1, kPatienceMs)) missed = true;
          ++frames;
        },
        Qt::DirectConnection);
    constexpr int kFrames = 20;
    for (int i = 0; i < kFrames && !missed; ++i) {
      begun = false;
      window.update();
      QTRY_VERIFY(begun);
      requests.asked = false;
      window.update();
      QVERIFY(QTest::qWaitFor([&] { return requests.asked; }, kPatienceMs));
      met.release(2);  // for the frame that is drawn, and for the one that was held back
      QTRY_VERIFY(frames >= 2 * (i + 1));
    }
    QVERIFY(!missed);
    disconnect(&window, nullptr, this, nullptr);
  }
};

}  // namespace hw::app

QTEST_MAIN(hw::app::FramePacingTest)
#include "frame_pacing_test.moc"
