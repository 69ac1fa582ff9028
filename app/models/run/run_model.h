// RunModel: the training of a document as QML sees it: buttons, progress, numbers. RunControl trains.
#pragma once

#include <QObject>
#include <QStringList>
#include <QUrl>
#include <QVariantMap>

#include "app/document/document.h"
#include "app/models/run/evaluation.h"
#include "app/models/run/lacking_weights.h"
#include "app/models/run/memory_needs.h"
#include "app/models/run/run_control.h"
#include "app/models/run/run_words.h"
#include "app/models/run/step_rate.h"

namespace hw::app {

/// Snapshots arrive on the GUI thread, changes of state at once, others as SnapshotPace says. Edits of the document go
/// to the session; a failure is over with the first edit after it. No call waits for the engine, but the destructor,
/// which stops and joins the session.
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

  /// Starts, resumes, or goes on for another run of steps. failed() has the reason where it cannot.
  Q_INVOKABLE void start() { control_.start(); }
  Q_INVOKABLE void pause() { control_.pause(); }
  Q_INVOKABLE void stepOnce() { control_.stepOnce(); }
  Q_INVOKABLE void stop() { control_.stop(); }
  /// Writes all that is needed to go on from here to the bit; while training, too. checkpointSaved() or failed()
  /// follows.
  Q_INVOKABLE void saveCheckpoint(const QUrl& file) { control_.saveCheckpoint(file); }
  /// Forgets what was trained and goes on from a checkpoint. failed() follows where it does not fit the graph.
  Q_INVOKABLE void resumeFrom(const QUrl& file) { control_.resumeFrom(file); }
  /// Forgets what was trained.
  Q_INVOKABLE void restart() { control_.restart(); }
  /// Forgets what was trained and trains again, as setHaltOnBadValue says, to find the first Inf or NaN: same seed,
  /// same bits. From the checkpoint that was saved last of this run, if the graph and the device are still those and
  /// all of it is finite; else from where the run began.
  void findBadValue() { control_.findBadValue(); }
  bool searching() const { return control_.searching(); }
  /// The step of the last checkpoint that was saved of this run; 0: none.
  qulonglong savedStep() const { return control_.savedStep(); }
  /// `take` gets a copy of all states after the step that runs, or null when nothing was trained; on the GUI thread.
  void takeStates(std::function<void(const std::shared_ptr<const Checkpoint>&)> take) {
    control_.takeStates(std::move(take));
  }
  /// Files that nodes name have changed: what was trained goes on with them.
  void reloadFiles();
  /// The tensors of the active node are wanted in the snapshots, or not.
  void setInspecting(bool on) { control_.feed().setInspecting(on); }
  /// Weights while running: only when something shows them. Each that wants them says so once, and once when it is
  /// over.
  void setWeightsWanted(bool on) { control_.feed().setWeightsWanted(on); }

  const RunSnapshot& snapshot() const { return control_.snapshot(); }
  /// Losses of earlier runs of this document, newest last.
  const std::deque<PastLosses::Losses>& pastLosses() const { return control_.past().all(); }

  QString state() const;
  QString stateText() const;
  bool running() const { return control_.running(); }
  bool paused() const { return control_.paused(); }
  bool started() const { return control_.started(); }
  bool loaded() const { return control_.loaded(); }
  bool trains() const { return trains_; }
  bool loadedStates() const { return loaded() && control_.origin().states; }
  qulonglong step() const { return snapshot().step; }
  qulonglong steps() const { return snapshot().steps; }
  double progress() const;
  QString loss() const { return loss_text(snapshot()); }
  QString metrics() const { return metrics_text(snapshot(), document_.flat()); }
  QString metricsMeaning() const { return metrics_meaning(snapshot()); }
  QString rate() const { return rate_text(snapshot()); }
  QString timeLeft() const { return time_left_text(snapshot(), stepRate_.perSecond()); }
  QString elapsed() const { return elapsed_text(snapshot()); }
  QString learningRate() const { return learning_rate_text(snapshot()); }
  QString memory() const { return bytes_text(snapshot().memory_bytes); }
  QString statesSize() const { return bytes_text(snapshot().states_bytes); }
  const QString& needs() const { return needs_.text(); }
  const QString& excess() const { return needs_.excess(); }
  /// The memory that a run will take is being estimated.
  bool estimating() const { return needs_.busy(); }
  QStringList notes() const;
  const QVariantMap& nodeMs() const { return nodeMs_; }
  QStringList devices() const;
  const QString& device() const { return control_.device(); }
  void setDevice(const QString& device);
  Evaluation* evaluation() { return &evaluation_; }
  bool haltOnBadValue() const { return control_.halts(); }
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
  void followControl();
  void reportError(const Error& error);
  void takeNodeMs();
  void lookForTrainer();

  Document& document_;
  Evaluation evaluation_;
  MemoryNeeds needs_;
  LackingWeights lacking_;
  QVariantMap nodeMs_;
  StepRate stepRate_;
  bool trains_ = false;
  RunControl control_;
};

}  // namespace hw::app
