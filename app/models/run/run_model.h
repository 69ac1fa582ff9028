// RunModel: the training session as QML sees it: buttons, progress, numbers.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <QUrl>
#include <QVariantMap>

#include "app/document/document.h"
#include "app/models/run/bad_value_watch.h"
#include "app/models/run/evaluation.h"
#include "app/models/run/lacking_weights.h"
#include "app/models/run/memory_needs.h"
#include "app/models/run/past_losses.h"
#include "app/models/run/run_files.h"
#include "app/models/run/run_status.h"
#include "app/models/run/run_words.h"
#include "app/models/run/snapshot_pace.h"
#include "app/models/run/step_rate.h"
#include "engine/train/session.h"

namespace hw::app {

/// Snapshots arrive on the GUI thread, changes of state at once, others as SnapshotPace says. Edits of the document go
/// to the session; a failure is over with the first edit after it. No call waits for the engine.
class RunModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(QString state READ state NOTIFY stateChanged)  // hw::name(RunState)
  Q_PROPERTY(QString stateText READ stateText NOTIFY stateChanged)
  Q_PROPERTY(bool running READ running NOTIFY stateChanged)  // preparing or running
  Q_PROPERTY(bool paused READ paused NOTIFY stateChanged)
  Q_PROPERTY(bool started READ started NOTIFY stateChanged)  // there are results
  Q_PROPERTY(bool loaded READ loaded NOTIFY stateChanged)    // there are none yet, but weights of the document's file
  Q_PROPERTY(bool trains READ trains NOTIFY trainsChanged)   // the graph has a Train node
  Q_PROPERTY(bool loadedStates READ loadedStates NOTIFY stateChanged)  // and the optimiser's state beside them
  Q_PROPERTY(qulonglong step READ step NOTIFY changed)
  Q_PROPERTY(qulonglong steps READ steps NOTIFY stateChanged)
  Q_PROPERTY(double progress READ progress NOTIFY changed)
  /// The training loss: over the batches of the last step, before its update.
  Q_PROPERTY(QString loss READ loss NOTIFY changed)
  /// "Accuracy 97.80 % at step 1600": the graph's metrics over the test split, as last measured; "" before.
  Q_PROPERTY(QString metrics READ metrics NOTIFY stateChanged)
  /// Over what they are, and when they were measured; "" before.
  Q_PROPERTY(QString metricsMeaning READ metricsMeaning NOTIFY stateChanged)
  Q_PROPERTY(QString rate READ rate NOTIFY ratesChanged)
  Q_PROPERTY(QString timeLeft READ timeLeft NOTIFY ratesChanged)
  Q_PROPERTY(QString elapsed READ elapsed NOTIFY ratesChanged)
  Q_PROPERTY(QString learningRate READ learningRate NOTIFY ratesChanged)
  Q_PROPERTY(QString memory READ memory NOTIFY stateChanged)
  /// What the optimiser's state takes in a file, parameters included; "" before anything was trained.
  Q_PROPERTY(QString statesSize READ statesSize NOTIFY stateChanged)
  /// The memory that a run of the graph as it stands will take, with its parts; "" while it is not known.
  Q_PROPERTY(QString needs READ needs NOTIFY needsChanged)
  /// Why there is not enough memory free for that; "" where there is.
  Q_PROPERTY(QString excess READ excess NOTIFY needsChanged)
  Q_PROPERTY(QStringList notes READ notes NOTIFY stateChanged)
  /// Milliseconds a step by node id; renewed twice a second.
  Q_PROPERTY(QVariantMap nodeMs READ nodeMs NOTIFY nodeMsChanged)
  Q_PROPERTY(QStringList devices READ devices CONSTANT)
  Q_PROPERTY(QString device READ device WRITE setDevice NOTIFY deviceChanged)
  Q_PROPERTY(hw::app::Evaluation* evaluation READ evaluation CONSTANT)
  /// Checks every value of every step and ends at the first Inf or NaN: takes 1.5 to 2 times as long.
  Q_PROPERTY(bool haltOnBadValue READ haltOnBadValue WRITE setHaltOnBadValue NOTIFY haltOnBadValueChanged)

 public:
  RunModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~RunModel() override;  // stops and joins the session

  /// Starts, resumes, or goes on for another run of steps. failed() has the reason where it cannot.
  Q_INVOKABLE void start();
  Q_INVOKABLE void pause();
  Q_INVOKABLE void stepOnce();
  Q_INVOKABLE void stop();
  /// Writes all that is needed to go on from here to the bit; while training, too. checkpointSaved() or failed()
  /// follows.
  Q_INVOKABLE void saveCheckpoint(const QUrl& file);
  /// Forgets what was trained and goes on from a checkpoint. failed() follows where it does not fit the graph.
  Q_INVOKABLE void resumeFrom(const QUrl& file);
  /// Forgets what was trained.
  Q_INVOKABLE void restart();
  /// Forgets what was trained and trains again, as setHaltOnBadValue says, to find the first Inf or NaN: same seed,
  /// same bits. From the checkpoint that was saved last of this run, if the graph and the device are still those and
  /// all of it is finite; else from where the run began.
  void findBadValue();
  bool searching() const { return watch_.searching(); }
  /// The step of the last checkpoint that was saved of this run; 0: none.
  qulonglong savedStep() const { return files_.saved() ? files_.saved()->step : 0; }
  /// `take` gets a copy of all states after the step that runs, or null when nothing was trained; on the GUI thread.
  void takeStates(std::function<void(const std::shared_ptr<const Checkpoint>&)> take);
  /// Files that nodes name have changed: what was trained goes on with them.
  void reloadFiles();
  /// The tensors of the active node are wanted in the snapshots, or not.
  void setInspecting(bool on);
  /// Weights while running: only when something shows them. Each that wants them says so once, and once when it is
  /// over.
  void setWeightsWanted(bool on);

  const RunSnapshot& snapshot() const { return *snapshot_; }
  /// Losses of earlier runs of this document, newest last.
  const std::deque<PastLosses::Losses>& pastLosses() const { return past_.all(); }

  QString state() const;
  QString stateText() const;
  bool running() const { return is(RunState::running) || is(RunState::preparing); }
  bool paused() const { return is(RunState::paused); }
  bool started() const { return snapshot_->step > 0; }
  bool loaded() const { return files_.origin().weights && !started(); }
  bool trains() const { return trains_; }
  bool loadedStates() const { return loaded() && files_.origin().states; }
  qulonglong step() const { return snapshot_->step; }
  qulonglong steps() const { return snapshot_->steps; }
  double progress() const;
  QString loss() const { return loss_text(*snapshot_); }
  QString metrics() const { return metrics_text(*snapshot_, document_.flat()); }
  QString metricsMeaning() const { return metrics_meaning(*snapshot_); }
  QString rate() const { return rate_text(*snapshot_); }
  QString timeLeft() const { return time_left_text(*snapshot_, stepRate_.perSecond()); }
  QString elapsed() const { return elapsed_text(*snapshot_); }
  QString learningRate() const { return learning_rate_text(*snapshot_); }
  QString memory() const { return bytes_text(snapshot_->memory_bytes); }
  QString statesSize() const { return bytes_text(snapshot_->states_bytes); }
  const QString& needs() const { return needs_.text(); }
  const QString& excess() const { return needs_.excess(); }
  /// The memory that a run will take is being estimated.
  bool estimating() const { return needs_.busy(); }
  QStringList notes() const;
  const QVariantMap& nodeMs() const { return nodeMs_; }
  QStringList devices() const;
  const QString& device() const { return device_; }
  void setDevice(const QString& device);
  Evaluation* evaluation() { return &evaluation_; }
  bool haltOnBadValue() const { return watch_.halts(); }
  void setHaltOnBadValue(bool on);

 Q_SIGNALS:
  // Each of these three shows on the screen; texts are laid out on this thread, so not all at once.
  /// There is a newer snapshot: up to 12 times a second.
  void changed();
  /// Up to twice a second.
  void ratesChanged();
  /// State, steps, memory, metrics, notes or what loaded weights lack changed, or a search for a bad value ended; comes
  /// before changed().
  void stateChanged();
  void nodeMsChanged();
  void trainsChanged();
  void needsChanged();
  void deviceChanged();
  void haltOnBadValueChanged();
  void checkpointSaved(const QString& file);
  /// The run could not start, or stopped by itself. Empty code: the failure is over.
  void failed(const QString& code, const QString& reason, const QString& remedy);
  void errorChanged(const hw::Error& error);
  /// New weights, or none.
  void weightsChanged();
  void inspectionChanged();

 private:
  bool is(RunState state) const { return snapshot_->state == state; }
  bool active() const { return running() || paused(); }
  void followDocument();
  void followWeights();
  /// The user has asked to stop what runs; `text`: the name of the state until it has stopped.
  void end(const QString& text);
  void take();
  void takeRates();
  void takeNodeMs();
  void report(const Error& error);
  /// As RunStatus::dismiss().
  void dismissFailure();
  /// Starts the session with the graph as it is now.
  void begin(uint64_t steps = 0, bool paused = false);
  /// Whether a run may begin or go on; failed() has the reason where not.
  bool mayStart();
  /// Goes on from what was read of `file`; `search`: to find a bad value.
  void resume(const QUrl& file, Result<Checkpoint> read, bool search);
  /// The checkpoint saved last is this one, and the graph as it stands goes on from it to the bit.
  bool continues(const Checkpoint& checkpoint) const;
  void endSearch();
  void moveNodes(const MovedNodes& moved);
  /// The next start is from the document's weights, with the optimiser's state where there is one.
  void beginWithWeights();
  /// The next start is from the weights of files_.origin().
  void loadOrigin();
  void lookForTrainer();

  Document& document_;
  QString device_;
  Evaluation evaluation_;
  MemoryNeeds needs_;
  RunFiles files_;
  LackingWeights lacking_;
  RunStatus status_;
  BadValueWatch watch_;
  PastLosses past_;
  SnapshotPace pace_;
  std::shared_ptr<const RunSnapshot> snapshot_ = std::make_shared<RunSnapshot>();
  QVariantMap nodeMs_;
  StepRate stepRate_;
  QTimer structure_{this};  // edits that come fast (a slider) reach the session together
  bool inspecting_ = false, trains_ = false;
  bool startSoon_ = false;  // once the weights that are being read are there
  int weightsWanted_ = 0;
  std::unique_ptr<Session> session_;  // last: it calls back until it is gone
};

}  // namespace hw::app
