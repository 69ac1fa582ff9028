// FramePacing: the GUI thread starts a frame only when the render thread is free to take it.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>

class QQuickWindow;

namespace hw::app {

/// Qt Quick's threaded render loop blocks the GUI thread from an update request until the render thread has drawn the
/// frame before (QSGThreadedRenderLoop, "polishAndSync"). What arrives meanwhile, a mouse move or a picture that was
/// computed, is seen one frame later than it could be. Here the request waits for frameSwapped and the GUI thread goes
/// on; where no frame is swapped for 100 ms the request is let through. GUI thread.
class FramePacing : public QObject {
 public:
  /// Owned by the window. Nothing is held back where the render loop has no thread of its own.
  explicit FramePacing(QQuickWindow* window);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void release();
  QQuickWindow* window_;
  std::atomic<bool> drawing_{false};  // from the hand-over until frameSwapped; set on the render thread
  bool held_ = false;
  QTimer patience_{this};
};

}  // namespace hw::app
