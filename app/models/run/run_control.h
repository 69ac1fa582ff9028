// RunControl: trains a document: starts and stops its session, begins runs anew, and takes what they have learnt.
#pragma once

#include <QObject>
#include <QUrl>
#include <functional>
#include <memory>
#include <utility>

#include "app/document/document.h"
#include "app/models/run/bad_value_watch.h"
#include "app/models/run/past_losses.h"
#include "app/models/run/run_files.h"
#include "app/models/run/run_status.h"
#include "app/models/run/session_feed.h"
#include "app/models/run/snapshot_pace.h"
#include "engine/train/session.h"

namespace hw::app {

/// Gives what is learnt to the document's weights, and begins with those. Snapshots are taken as SnapshotPace says; a
/// failure is over with the first edit after it. Where something cannot be done, errorChanged() has the reason. No call
/// waits for the engine. GUI thread.
class RunControl : public QObject {
  Q_OBJECT

 public:
  /// `device`: by id. The document outlives this.
  RunControl(Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent = nullptr);
  ~RunControl() override;  // stops and joins the session

  /// The one that was taken last.
  const RunSnapshot& snapshot() const { return *snapshot_; }
  /// As it is shown: see RunStatus.
  RunState state() const { return status_.state(*snapshot_); }
  /// What the user has asked for and is not done yet, "Stopping"; "": nothing.
  const QString& ending() const { return status_.ending(); }
  bool running() const { return is(RunState::running) || is(RunState::preparing); }
  bool paused() const { return is(RunState::paused); }
  bool started() const { return snapshot_->step > 0; }
  /// Nothing was trained yet, but there are weights of the document's file.
  bool loaded() const { return files_.origin().weights && !started(); }
  const RunOrigin& origin() const { return files_.origin(); }
  /// The step of the last checkpoint that was saved of this run; 0: none.
  uint64_t savedStep() const { return files_.saved() ? files_.saved()->step : 0; }
  /// Losses of earlier runs of this document.
  const PastLosses& past() const { return past_; }
  /// What sends the session edits, and asks it for tensors and weights.
  SessionFeed& feed() { return feed_; }

  /// By id; of the next start.
  const QString& device() const { return device_; }
  void setDevice(const QString& device) { device_ = device; }
  /// Ends every run at its first Inf or NaN. False: that was so before.
  bool setHalts(bool on) { return watch_.setHalts(on); }
  bool halts() const { return watch_.halts(); }

  /// Starts, resumes, or goes on for another run of steps.
  void start();
  void pause();
  void stepOnce();
  void stop();
  /// Forgets what was trained.
  void restart();
  /// While training, too. checkpointSaved() or errorChanged() follows.
  void saveCheckpoint(const QUrl& file);
  /// Forgets what was trained and goes on from a checkpoint that fits the graph.
  void resumeFrom(const QUrl& file);
  /// Forgets what was trained and trains again until the first Inf or NaN: from the checkpoint that was saved last of
  /// this run, if it goes on to the bit and all of it is finite; else from where the run began.
  void findBadValue();
  bool searching() const { return watch_.searching(); }
  /// `take` gets a copy of all states after the step that runs, or null when nothing was trained; on the GUI thread.
  void takeStates(std::function<void(const std::shared_ptr<const Checkpoint>&)> take);
  /// Files that nodes name have changed: what was trained goes on with them.
  void reloadFiles();

 Q_SIGNALS:
  // With a snapshot that is taken, in this order; of weights, state and failures also without one.
  /// New weights, or none.
  void weightsChanged();
  /// A newer snapshot was taken.
  void taken();
  /// The snapshot has other tensors of the node that is inspected, or none.
  void inspectionChanged();
  /// Twice a second, and with each change of the session's state.
  void ratesDue();
  /// State, steps, memory, metrics or notes changed, or a search for a bad value ended.
  void stateChanged();
  /// Behind all of the above, when a newer snapshot was taken, or a failure is over.
  void changed();

  /// What the next start is from.
  void originChanged();
  void checkpointSaved(const QString& file);
  /// The run could not start, or stopped by itself. Empty code: the failure is over.
  void errorChanged(const hw::Error& error);

 private:
  bool is(RunState state) const { return snapshot_->state == state; }
  void followDocument();
  void followWeights();
  /// The user has asked to stop what runs; `text`: the name of the state until it has stopped.
  void end(const QString& text);
  void take();
  void report(const Error& error);
  /// As RunStatus::dismiss().
  void dismissFailure();
  /// Starts the session with the graph as it is now.
  void begin(uint64_t steps = 0, bool paused = false);
  /// Whether a run may begin or go on; errorChanged() has the reason where not.
  bool mayStart();
  /// Goes on from what was read of `file`; `search`: to find a bad value.
  void resume(const QUrl& file, Result<Checkpoint> read, bool search);
  /// The checkpoint saved last is this one, and the graph as it stands goes on from it to the bit.
  bool continues(const Checkpoint& checkpoint) const;
  void endSearch();
  void moveNodes(const MovedNodes& moved);
  /// The next start is from the document's weights, with the optimiser's state where there is one.
  void beginWithWeights();
  /// The next start is from the weights of origin().
  void loadOrigin();

  Document& document_;
  QString device_;
  RunFiles files_;
  RunStatus status_;
  BadValueWatch watch_;
  PastLosses past_;
  SnapshotPace pace_;
  std::shared_ptr<const RunSnapshot> snapshot_ = std::make_shared<RunSnapshot>();
  bool startSoon_ = false;  // once the weights that are being read are there
  Session session_;         // behind all that it calls: it does so until it is gone
  SessionFeed feed_;
};

}  // namespace hw::app
