// RewriteModel: which rewrites the graph has places for, each tried on the graph's own data before it is offered.
#pragma once

#include <QAbstractListModel>

#include "app/models/checks/check_worker.h"
#include "app/models/run/run_model.h"
#include "engine/rewrite/proven_rewrite.h"

namespace hw::app {

/// A row a rule, for the graph and the weights at the time of look(). GUI thread; rules are tried on a worker.
class RewriteModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(bool running READ running NOTIFY changed)
  /// The graph is another since: look() again.
  Q_PROPERTY(bool stale READ stale NOTIFY changed)
  /// Why nothing can be rewritten; "" where it can.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)

 public:
  enum Roles {
    TitleRole = Qt::UserRole,
    SummaryRole,
    StateRole,    // "waiting", "none" (no place), "proven", "differs", "failed"
    VerdictRole,  // a sentence; "" while it waits
    PlacesRole,   // where, as one text
  };
  RewriteModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);

  /// Finds the places of every rule and tries them, one rule after the other.
  Q_INVOKABLE void look();
  Q_INVOKABLE void cancel();
  /// A proven row, as one undo step, weights and all; then looks again. False: it is stale, or the graph runs.
  Q_INVOKABLE bool apply(int row);

  bool running() const { return worker_.running(); }
  bool stale() const {
    return worker_.stale() || weights_ != document_.weights()->tensors() || document_.weights()->pending();
  }
  const QString& problem() const { return problem_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void changed();

 private:
  struct Row {
    const RewriteRule* rule;
    QString state, verdict, places;
    std::shared_ptr<const ProvenRewrite> proven;  // null until it was tried
  };
  void forget();
  void show(int row, const Result<ProvenRewrite>& tried);

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  std::vector<Row> rows_;
  std::shared_ptr<const std::map<std::string, Tensor>> weights_;  // that the rules were tried with
  QString problem_;
  bool again_ = false;  // requested while a cancelled look() was still running
  CheckWorker worker_;
};

}  // namespace hw::app
