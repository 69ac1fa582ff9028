// CheckWorker: a check of the document's graph on a thread of its own, and whether its report is still of that graph.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>

#include "app/document/document.h"

namespace hw::app {

/// One check at a time; training goes on beside it. GUI thread; only the destructor waits, until the check has noticed
/// the cancellation. A document that is replaced cancels.
class CheckWorker : public QObject {
  Q_OBJECT

 public:
  /// What the GUI thread does with the result; not called when the check was cancelled.
  using Finish = std::function<void()>;
  /// Runs on the worker thread; `progress` takes the share that is done and may be called there. Must not throw.
  using Work = std::function<Finish(const std::shared_ptr<const Graph>& graph,
                                    const std::function<void(double)>& progress, const std::atomic<bool>& cancel)>;

  explicit CheckWorker(Document& document);
  ~CheckWorker() override;

  /// False when one is running. Else run() must follow, now or later.
  bool begin();
  /// On the document's graph of this moment; nothing happens when it was cancelled since begin().
  void run(const Work& work);
  void cancel() { cancel_ = true; }
  /// The graph of the report; null: there is no report.
  void setChecked(std::shared_ptr<const Graph> graph);

  bool running() const { return running_; }
  double progress() const { return progress_; }
  /// The graph has changed since it was checked.
  bool stale() const { return stale_; }

 Q_SIGNALS:
  void runningChanged();
  void progressChanged();
  void staleChanged();
  /// Another document was loaded: the report is dropped.
  void replaced();

 private:
  void setRunning(bool on);
  void setProgress(double share);
  void compare();

  Document& document_;
  std::shared_ptr<const Graph> checked_;
  double progress_ = 0;
  bool running_ = false, stale_ = false;
  std::atomic<bool> cancel_{false};
  QThreadPool thread_;
};

/// Whether two graphs compute the same: they differ in labels, positions and frames at most.
bool computes_the_same(const Graph& a, const Graph& b);

}  // namespace hw::app
