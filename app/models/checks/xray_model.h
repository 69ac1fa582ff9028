// XrayModel: the X-ray of the document's graph as a table: what each value's node introduced, inherited, and left over.
#pragma once

#include "app/models/checks/check_model.h"
#include "engine/precision/xray.h"

namespace hw::app {

class RunModel;

/// With the weights, masters and loss scale of the moment. GUI thread.
class XrayModel : public CheckModel {
  Q_OBJECT
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

  const CheckInfo& info() const override { return kXrayCheck; }
  void start() override;

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
  void sortingChanged();

 protected:
  void clear() override { setItems(nullptr); }
  std::string nodeOf(int row) const override;

 private:
  void begin(const std::shared_ptr<const Checkpoint>& trained);
  void setItems(std::shared_ptr<const XrayReport> report);
  void sortRows();
  QString noteOf(const XrayItem& item) const;

  RunModel& run_;
  std::shared_ptr<const XrayReport> report_;
  std::vector<size_t> rows_;  // items of the report
  QString sorting_ = QStringLiteral("introduced");
};

}  // namespace hw::app
