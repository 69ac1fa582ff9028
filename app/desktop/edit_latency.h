// EditLatency: the time from an edit to the picture that has it. Asked for with HALFWIRE_LATENCY=path; costs nothing
// otherwise.
#pragma once

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <deque>
#include <vector>

#include "app/desktop/shell.h"

class QQuickWindow;

namespace hw::app {

/// Latencies of the plot and the picture of the shown document: each edit counts, from when the document has it until
/// the first picture that was computed after it is in the scene graph; edits that one picture shows together count each
/// from its own time. At exit, a JSON file: by view {edits, p50, p95, max: ms}, "picture" of any size, "full picture"
/// as large as the original; and the weights' bytes as a checksum, before the first edit and at the end.
class EditLatency : public QObject {
 public:
  /// Null unless HALFWIRE_LATENCY names a file.
  static EditLatency* start(Shell& shell, QQuickWindow* window);

 private:
  struct Series {
    const char* name;
    std::deque<std::pair<quint64, double>> waiting;  // WatchedView::changes() after an edit, its time
    quint64 drawn = 0;                               // changes() that the next synchronisation hands over
    std::vector<double> ms;
  };
  EditLatency(Shell& shell, QQuickWindow* window, QString path);
  void attach();
  void edited();
  /// Render thread; the GUI thread waits meanwhile.
  void synchronised();
  double now() const { return static_cast<double>(clock_.nsecsElapsed()) / 1e6; }
  QJsonObject weights() const;
  void write() const;

  Shell& shell_;
  QString path_;
  QElapsedTimer clock_;
  Series plot_{"plot", {}, 0, {}}, picture_{"picture", {}, 0, {}}, full_{"full picture", {}, 0, {}};
  QJsonObject before_;
  QList<QMetaObject::Connection> attached_;
};

}  // namespace hw::app
