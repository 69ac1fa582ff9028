// PrecisionModel: tries a dtype on chosen nodes, or plans the precision of all, on a worker; what comes out can be
// taken as one undo step, or dropped.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QVariantList>
#include <atomic>

#include "app/models/run/run_model.h"
#include "engine/precision/precision_planner.h"

namespace hw::app {

/// One search at a time, of the graph of the moment it begins; an edit of structure invalidates its result. GUI thread;
/// nothing here waits but the destructor, for one step of a training.
class PrecisionModel : public QObject {
  Q_OBJECT
  /// What was asked for last: "try", "plan" or "".
  Q_PROPERTY(QString asked READ asked NOTIFY changed)
  Q_PROPERTY(bool running READ running NOTIFY changed)
  /// 0 to 1, and what is being done.
  Q_PROPERTY(double progress READ progress NOTIFY progressChanged)
  Q_PROPERTY(QString doing READ doing NOTIFY progressChanged)
  /// The result: {title, base, changed, change} a row; empty while there is none.
  Q_PROPERTY(QVariantList rows READ rows NOTIFY changed)
  Q_PROPERTY(QString baseTitle READ baseTitle NOTIFY changed)
  Q_PROPERTY(QString changedTitle READ changedTitle NOTIFY changed)
  /// One sentence on the result.
  Q_PROPERTY(QString verdict READ verdict NOTIFY changed)
  /// What would be changed in the graph, a line each.
  Q_PROPERTY(QStringList changes READ changes NOTIFY changed)
  /// A plan's: {what, cost, time, verdict} of each config that was measured.
  Q_PROPERTY(QVariantList trials READ trials NOTIFY changed)
  /// There is something to apply, and the graph is still what it was.
  Q_PROPERTY(bool applicable READ applicable NOTIFY changed)
  /// Why there is no result; "" when nothing went wrong.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  /// The selected nodes by title, "" when there are none.
  Q_PROPERTY(QString selected READ selected NOTIFY selectedChanged)
  Q_PROPERTY(QStringList dtypes READ dtypes CONSTANT)

 public:
  PrecisionModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~PrecisionModel() override;

  /// The selected nodes in `dtype`, beside the graph as it is, `steps` on from what was trained.
  Q_INVOKABLE void tryDtype(const QString& dtype, int steps);
  /// `budget` as the command line takes it: "loss=1%", "error=1e-3". `minimise`: "both", "bytes", "time". `steps` 0:
  /// the Train node's. `repeats`: for a loss budget, the number of training seeds whose mean decides.
  Q_INVOKABLE void plan(const QString& budget, const QString& minimise, int steps, int repeats = 1);
  /// Why a text is none of what the panel asks for, "" where it is: "limit" (percent of a budget), "steps" (of a
  /// trial), "planned" (steps of a plan; nothing: the Train node's), "seeds".
  Q_INVOKABLE QString problemWith(const QString& field, const QString& text) const;
  Q_INVOKABLE void cancel() { cancel_ = true; }
  /// As one undo step; the result is then gone.
  Q_INVOKABLE void apply();
  Q_INVOKABLE void drop();

  const QString& asked() const { return asked_; }
  bool running() const { return running_; }
  double progress() const { return progress_; }
  const QString& doing() const { return doing_; }
  const QVariantList& rows() const { return rows_; }
  const QString& baseTitle() const { return baseTitle_; }
  const QString& changedTitle() const { return changedTitle_; }
  const QString& verdict() const { return verdict_; }
  const QStringList& changes() const { return changes_; }
  const QVariantList& trials() const { return trials_; }
  bool applicable() const { return !running_ && !edits_.empty(); }
  const QString& problem() const { return problem_; }
  QString selected() const;
  QStringList dtypes() const;

 Q_SIGNALS:
  void changed();
  void progressChanged();
  void selectedChanged();

 private:
  void begin(const QString& asked);
  void end();
  void fail(const Error& error);
  void setProgress(double progress, const QString& doing);
  void forget();
  /// On the worker; `states` may be empty.
  /// `from`: what a run has made so far, else `weights`; either may be null.
  void compare(const Graph& base, const PrecisionPlan& plan, const std::string& device, const Checkpoint* from,
               const Weights* weights, uint64_t steps);
  void search(const Graph& graph, const PlannerOptions& options, const Weights* weights);
  void show(const WhatIfReport& report);
  void show(const PrecisionProposal& proposal, const PlannerOptions& options);

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  std::atomic<bool> cancel_{false};
  bool running_ = false, stale_ = false;
  double progress_ = 0;
  QString asked_, doing_, baseTitle_, changedTitle_, verdict_, problem_, editText_;
  QVariantList rows_, trials_;
  QStringList changes_;
  Edits edits_;
  GivenValues given_;  // of what runs; set before it starts
  QThreadPool work_;
};

}  // namespace hw::app
