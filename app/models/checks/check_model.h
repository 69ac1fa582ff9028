// CheckModel: a check of the document's graph that takes a while, and the table of what it found.
#pragma once

#include <QAbstractListModel>

#include "app/checks.h"
#include "app/models/checks/check_worker.h"

namespace hw::app {

/// GUI thread. See CheckWorker.
class CheckModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY reportChanged)
  Q_PROPERTY(bool running READ running NOTIFY runningChanged)
  Q_PROPERTY(double progress READ progress NOTIFY progressChanged)  // share that is done; 0 where that is not known
  /// What was checked and what came of it; "" before.
  Q_PROPERTY(QString caption READ caption NOTIFY reportChanged)
  /// The caption reports a failure.
  Q_PROPERTY(bool failed READ failed NOTIFY reportChanged)
  /// The caption says that all is well.
  Q_PROPERTY(bool passed READ passed NOTIFY reportChanged)
  /// The graph has changed since it was checked.
  Q_PROPERTY(bool stale READ stale NOTIFY staleChanged)
  /// Why there is no report, and what to do; "" where there is one.
  Q_PROPERTY(QString problem READ problem NOTIFY reportChanged)

 public:
  /// The row of kChecks.
  virtual const CheckInfo& info() const = 0;
  Q_INVOKABLE virtual void start() = 0;
  Q_INVOKABLE void cancel() { worker_.cancel(); }
  /// Asks the canvas to show the node of a row, and selects it.
  Q_INVOKABLE void reveal(int row);

  int count() const { return rowCount({}); }
  bool running() const { return worker_.running(); }
  double progress() const { return worker_.progress(); }
  const QString& caption() const { return caption_; }
  virtual bool failed() const { return false; }
  virtual bool passed() const { return false; }
  bool stale() const { return worker_.stale(); }
  const QString& problem() const { return problem_; }
  /// For the canvas and the list of problems. None while the graph differs from the checked one.
  virtual std::vector<Diagnostic> findings() const { return {}; }

 Q_SIGNALS:
  void reportChanged();
  void findingsChanged();
  void runningChanged();
  void progressChanged();
  void staleChanged();

 protected:
  CheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent);

  /// Forgets the report's rows: the document is another.
  virtual void clear() = 0;
  /// Node of a row, "" for no such row.
  virtual std::string nodeOf(int row) const = 0;
  /// Whether reveal() selects.
  virtual bool selects() const { return true; }

  /// Once the rows are those of a report on `checked`.
  void setReport(const QString& caption, std::shared_ptr<const Graph> checked);
  /// Once there are no rows, as the check could not be done.
  void setProblem(const Error& error);
  /// What the table calls a node.
  QString titleOf(const std::string& node) const;
  Document& document() const { return document_; }
  const std::shared_ptr<Assets>& assets() const { return assets_; }
  /// The work must not use the model, which may be in destruction; what follows the work may.
  CheckWorker& worker() { return worker_; }

 private:
  void set(const QString& caption, const QString& problem, std::shared_ptr<const Graph> checked);

  Document& document_;
  const std::shared_ptr<Assets> assets_;
  QString caption_, problem_;
  CheckWorker worker_;
};

}  // namespace hw::app
