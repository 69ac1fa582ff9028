// WatchedView: what views share: following a node of the document, building on a worker, drawing weights.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>

#include "app/document/document.h"
#include "engine/evaluate/evaluation.h"

namespace hw::app {

class RunModel;

/// While it is not visible it is idle. What a graph's viewer shows is built on a worker thread, anew when the
/// document's structure or the run's device changes, or, where Evaluation is not live, when it is asked for; the newest
/// request wins. New weights are drawn at most ten times a second. GUI thread.
class WatchedView : public QObject {
  Q_OBJECT
  /// Why there is nothing to draw, or not all, and what to do; "" when there is.
  Q_PROPERTY(QString hint READ hint NOTIFY hintChanged)
  Q_PROPERTY(bool busy READ busy NOTIFY hintChanged)
  /// What is shown is as before the last change, and stays so until it is asked for: Evaluation is not live.
  Q_PROPERTY(bool older READ older NOTIFY hintChanged)

 public:
  QString hint() const;
  bool older() const { return stale() && !due_; }
  bool busy() const { return building_; }
  /// Whether it is visible; it is idle otherwise.
  void setWatched(bool on);
  /// Reads the files behind the view again: one has changed.
  void reload();
  /// Counts what changes the picture: edits, another file, viewer or device.
  quint64 changes() const { return changes_; }
  /// The changes() that what is shown was made after; 0: nothing is shown yet.
  quint64 shownChanges() const { return shown_; }

 Q_SIGNALS:
  void hintChanged();
  /// There is something else to draw.
  void contentChanged();

 protected:
  WatchedView(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent);

  /// Takes what was built or drawn; on the GUI thread.
  using Accept = std::function<void()>;
  /// Builds; on the worker thread, so it holds copies of all it needs.
  using Build = std::function<Accept()>;
  struct Plan {
    QString viewer;  // the node that is meant; "": none
    Build build;     // none: there is nothing to build, `accept` is called at once
    Accept accept;
  };
  virtual Plan plan() = 0;
  /// Whether a node is a viewer that this view would show.
  virtual bool shows(const Node& node) const = 0;
  /// Something was built, or there are new weights.
  virtual void draw() = 0;
  /// What is to be shown now was computed before: it is shown although changes are not followed.
  virtual bool known() { return false; }

  /// The first thing in a derived destructor: nothing is built or drawn any more.
  void end();
  void setHint(const QString& hint);
  static QString textOf(const Error& error);
  /// The run's newest weights, else the document's; may be null.
  std::shared_ptr<const Weights> weights() const;
  /// Counts what weights() were: equal while they are the same.
  uint64_t weightsVersion();
  /// Counts reload().
  uint64_t files() const { return files_; }
  /// As chosen for tensors and plots.
  ForwardMode mode() const;
  /// The seed of the document's training.
  uint64_t seed() const;
  /// Id of the device that runs train on: what is shown is evaluated there, too.
  std::string device() const;
  /// What is shown is not as it should be any more.
  void changed();
  /// It is to be built again although the document is the same: at once, unless it waits to be asked for.
  void refresh();
  /// Hands over what was drawn, from the worker thread, as often as there is something better. It is taken unless
  /// something newer is being built; contentChanged() follows.
  using HandOver = std::function<void(Accept)>;
  using Drawing = std::function<Status(const HandOver&)>;
  /// Draws on the worker thread; `drawing` holds copies of all it needs, and stops where cancel_ is set. Its error is
  /// the hint. While it is not visible, something is being built or another drawing is at work, nothing happens: draw()
  /// is called again after that.
  void startDrawing(Drawing drawing);

  Document& document_;
  RunModel& run_;
  const std::shared_ptr<Assets> assets_;
  QTimer drawSoon_{this};
  std::atomic<bool> newer_{false};   // weights came while something was drawn
  std::atomic<bool> cancel_{false};  // what is drawn is not wanted any more
  QThreadPool work_;                 // one thread

 private:
  /// Changes are shown as they come.
  bool follows() const;
  void follow();
  void rebuild();
  void accept(const Accept& take, bool built);
  void take(int generation, const Accept& take);
  void endDrawing(int generation, const Status& drawn);
  bool stale() const { return planned_ != changes_; }

  QTimer rebuildSoon_{this};
  QString viewer_, hint_;
  std::shared_ptr<const Weights> versioned_;  // kept, so that no others come to lie where they were
  uint64_t weightsVersion_ = 0, files_ = 0;
  quint64 changes_ = 1, planned_ = 0, shown_ = 0;
  int generation_ = 0;  // of what was built or is being built
  bool built_ = false;  // what was planned last
  bool due_ = true;     // the newest change may be shown
  bool building_ = false, watched_ = false, drawing_ = false;
  bool taken_ = false;                   // something of the drawing that is at work
  QElapsedTimer planning_, drawingAge_;  // since rebuild() planned, since the drawing began
  int patience_ = 0;                     // ms that edits let it go on; grows until something is shown
};

}  // namespace hw::app
