// XrayModel: the X-ray of the document's graph as a table: what each value's node introduced, inherited, and left over.
#pragma once

#include <QAbstractListModel>

#include "app/models/checks/check_worker.h"
#include "engine/precision/xray.h"

namespace hw::app {

class RunModel;

/// With the weights, masters and loss scale of the moment. GUI thread. See CheckWorker.
class XrayModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(int count READ count NOTIFY reportChanged)
  Q_PROPERTY(bool running READ running NOTIFY runningChanged)
  /// "training mode on cpu, step 120": what was looked at; "" before.
  Q_PROPERTY(QString caption READ caption NOTIFY reportChanged)
  /// The graph is another than was looked at.
  Q_PROPERTY(bool stale READ stale NOTIFY staleChanged)
  /// Why there is no report, and what to do; "" where there is one.
  Q_PROPERTY(QString problem READ problem NOTIFY reportChanged)
  /// "introduced", "ulps", "inherited", "bits" or "order": worst first, or as computed.
  Q_PROPERTY(QString sorting READ sorting WRITE setSorting NOTIFY sortingChanged)

 public:
  enum Role {
    NodeRole = Qt::UserRole + 1,  // id
    TitleRole,                    // of the node
    ValueRole,                    // "y", "grad(x)", "(matmul)" inside the node
    BackwardRole,
    DtypeRole,
    IntroducedRole,  // relative error, text
    UlpsRole,
    InheritedRole,
    BitsRole,   // "9.3 of 11"
    ShareRole,  // of the bits that are left, 0 to 1
    BadRole,    // Inf or NaN on one side
    WorstRole,  // the largest introduced error
    NoteRole,   // how a gradient is scaled, the worst element; for the tip
  };

  XrayModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);

  Q_INVOKABLE void start();
  Q_INVOKABLE void cancel() { worker_.cancel(); }
  /// Selects the node of a row and asks the canvas to show it.
  Q_INVOKABLE void reveal(int row);

  int count() const { return static_cast<int>(rows_.size()); }
  bool running() const { return worker_.running(); }
  const QString& caption() const { return caption_; }
  bool stale() const { return worker_.stale(); }
  const QString& problem() const { return problem_; }
  const QString& sorting() const { return sorting_; }
  void setSorting(const QString& key);
  /// The heat map's quantity for the first row: what the table is sorted by, in its pass.
  Q_INVOKABLE QString mapped() const;
  /// Null before the first.
  const std::shared_ptr<const XrayReport>& report() const { return report_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void reportChanged();
  void runningChanged();
  void staleChanged();
  void sortingChanged();

 private:
  void begin(const std::shared_ptr<const Checkpoint>& trained);
  void take(const std::shared_ptr<const Result<XrayReport>>& result, const QString& weights,
            const std::shared_ptr<const Graph>& seen);
  void clear();
  void sort();
  QString noteOf(const XrayItem& item) const;

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  std::shared_ptr<const XrayReport> report_;
  std::vector<size_t> rows_;  // items of the report
  QString caption_, problem_, sorting_ = QStringLiteral("introduced");
  CheckWorker worker_;  // last: its destructor waits for a check that uses the others
};

}  // namespace hw::app
