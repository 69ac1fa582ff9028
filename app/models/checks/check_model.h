// CheckModel: a check of the document's graph that takes a while, as a table of values and verdicts.
#pragma once

#include <QAbstractListModel>

#include "app/models/checks/check_worker.h"

namespace hw::app {

/// GUI thread. See CheckWorker.
class CheckModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY reportChanged)
  Q_PROPERTY(bool running READ running NOTIFY runningChanged)
  Q_PROPERTY(double progress READ progress NOTIFY progressChanged)  // share that is done
  /// What was checked and what came of it; "" before.
  Q_PROPERTY(QString caption READ caption NOTIFY reportChanged)
  /// The caption says that all is well.
  Q_PROPERTY(bool passed READ passed NOTIFY reportChanged)
  /// The graph is another than was checked.
  Q_PROPERTY(bool stale READ stale NOTIFY staleChanged)
  /// Why there is no report, and what to do; "" where there is one.
  Q_PROPERTY(QString problem READ problem NOTIFY reportChanged)

 public:
  enum Role {
    NodeRole = Qt::UserRole + 1,  // id
    TitleRole,                    // of the node
    ValueRole,                    // "y", "grad(x)", "(matmul)" inside the node
    PassRole,
    VerdictRole,
    LevelRole,   // 0: well, 1: worth knowing, 2: wrong
    NumberRole,  // text
    NoteRole,    // the worst element; for the tip
  };
  struct Row {
    std::string node, value;
    QString pass, verdict, number, note;
    int level = 0;
    Tensor a, b;  // what two devices made; empty: not kept
  };
  /// What a check found.
  struct Report {
    std::vector<Row> rows;
    QString caption;
    bool passed = false;
    std::vector<Diagnostic> findings;  // for the canvas and the list of problems
  };

  Q_INVOKABLE void start();
  Q_INVOKABLE void cancel() { worker_.cancel(); }
  /// Asks the canvas to show the node of a row, and selects it.
  Q_INVOKABLE void reveal(int index);

  int count() const { return static_cast<int>(report_.rows.size()); }
  bool running() const { return worker_.running(); }
  double progress() const { return worker_.progress(); }
  const QString& caption() const { return report_.caption; }
  bool passed() const { return report_.passed; }
  bool stale() const { return worker_.stale(); }
  const QString& problem() const { return problem_; }
  /// None while the graph is another than was checked.
  const std::vector<Diagnostic>& findings() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void reportChanged();
  void findingsChanged();
  void runningChanged();
  void progressChanged();
  void staleChanged();

 protected:
  /// Called on the worker thread; `progress` may be called there.
  using Work =
      std::function<Result<Report>(const Graph& graph, Assets& assets, const std::function<void(double)>& progress,
                                   const std::atomic<bool>& cancel)>;
  CheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent);
  /// The check as it is chosen now.
  virtual Work work() const = 0;
  /// Whether reveal() selects.
  virtual bool selects() const { return true; }
  const Document& document() const { return document_; }
  /// Null: there is no such row.
  const Row* row(int index) const;

 private:
  void take(Result<Report> result, const std::shared_ptr<const Graph>& checked);
  void show(Report report, const QString& problem, const std::shared_ptr<const Graph>& checked = nullptr);

  Document& document_;
  std::shared_ptr<Assets> assets_;
  Report report_;
  QString problem_;
  CheckWorker worker_;  // last: its destructor waits for a check that uses the others
};

/// "y" of "mlp.y" in "mlp"; "(matmul)" for an op's value inside its node, which has no name.
QString value_in_node(const std::string& name, const std::string& node, std::string_view op);

}  // namespace hw::app
