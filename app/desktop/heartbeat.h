// Heartbeat: how evenly the GUI thread runs. Asked for with HALFWIRE_HEARTBEAT=path; costs nothing otherwise.
#pragma once

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QTimer>
#include <atomic>
#include <ctime>
#include <mutex>
#include <vector>

class QQuickWindow;

namespace hw::app {

/// The application, with a stopwatch on every event when a heartbeat is asked for.
class Application : public QGuiApplication {
 public:
  Application(int& argc, char** argv);
  bool notify(QObject* receiver, QEvent* event) override;

 private:
  friend class Heartbeat;
  struct Slow {
    double cpu_ms = 0;     // the GUI thread's own work: waiting for the render thread is not in it
    double ms = 0;         // from begin to end
    QString what;          // classes of the receiver's parent and of the receiver, event type
    double stolen_ms = 0;  // of a costly event: what a virtual machine's host took since up to 16 ticks before
  };
  void note(double cpu_ms, double ms, const char* owner, const char* receiver, int event);
  bool timed_ = false;
  int depth_ = 0;
  double stolenBefore_ = 0;
  std::vector<Slow> slow_;  // the costliest, by cpu_ms, costliest first
};

/// A 16 ms timer on the GUI thread notes the gaps between its ticks, from HALFWIRE_HEARTBEAT_AFTER seconds on (0 by
/// default). At exit, a JSON file: gaps {count, mean, p50, p99, max} in ms, the costliest events, and the longest
/// and the costliest scene-graph synchronisation (all updatePaintNode calls of a frame; ms, and ms of CPU time). And
/// each frame from the start on: when it was swapped (s of the monotonic clock), and ms of CPU time that the GUI thread
/// and the render thread took since the frame before; of the latter, what taking, submitting and presenting the
/// picture took, which a driver without a GPU copies to the X server.
class Heartbeat : public QObject {
 public:
  /// Null unless HALFWIRE_HEARTBEAT names a file.
  static Heartbeat* start(Application& app, QQuickWindow* window);

 private:
  Heartbeat(Application& app, QQuickWindow* window, QString path);
  void begin();
  void beat();
  void swapped();
  void write();
  Application& app_;
  QString path_;
  QTimer timer_{this};
  QElapsedTimer since_;
  std::vector<float> gaps_;
  QElapsedTimer sync_;    // render thread
  double syncBegan_ = 0;  // CPU time, render thread
  std::atomic<double> longestSync_{0}, costliestSync_{0};
  struct Frame {
    double at_s = 0, gui_ms = 0, render_ms = 0, driver_ms = 0;
  };
  clockid_t guiClock_{};                     // CPU time of the GUI thread, for the render thread
  double guiBefore_ = 0, renderBefore_ = 0;  // CPU time at the frame before; render thread
  double driverMs_ = 0;                      // of the frame so far; render thread
  std::mutex mutex_;
  std::vector<Frame> frames_;  // under the mutex
};

}  // namespace hw::app
