// SnapshotPace: when the snapshots of a session are taken, and when numbers beside them that change all the time.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <functional>

namespace hw::app {

/// Urgent snapshots at once, others twelve times a second, which is as fast as numbers can be read; the last of them
/// always. Lives on the GUI thread.
class SnapshotPace : public QObject {
  Q_OBJECT

 public:
  /// `urgent`: whether the newest snapshot has to be taken at once; called on the GUI thread.
  explicit SnapshotPace(std::function<bool()> urgent, QObject* parent = nullptr);

  /// There is a newer snapshot. Any thread; this outlives the call.
  void note();
  /// The newest snapshot is being taken, after due() or without it.
  void taken();
  /// Whether numbers such as rates are renewed with this snapshot: twice a second, and when it is `urgent`.
  bool ratesDue(bool urgent);

 Q_SIGNALS:
  /// The newest snapshot has to be taken.
  void due();

 private:
  void look();

  const std::function<bool()> urgent_;
  std::atomic<bool> pending_{false};  // look() is queued
  QElapsedTimer age_, ratesAge_;      // since what was taken last
  QTimer soon_{this};
};

}  // namespace hw::app
