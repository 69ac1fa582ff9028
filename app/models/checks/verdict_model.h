// VerdictModel: a check that gives a verdict on every value, as a table: what is wrong comes first.
#pragma once

#include "app/models/checks/check_model.h"

namespace hw::app {

/// GUI thread.
class VerdictModel : public CheckModel {
  Q_OBJECT

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
    Tensor a, b;         // what two devices made; empty: not kept
    QString unpictured;  // why not; empty: their size
  };
  /// What a check found.
  struct Report {
    std::vector<Row> rows;
    QString caption;
    bool passed = false;
    std::vector<Diagnostic> findings;
    QString a, b;          // whose tensors the rows have
    bool of_dump = false;  // their `pass` says how tensors found their wires
  };

  void start() override;
  bool failed() const override { return !report_.rows.empty() && !report_.passed; }
  bool passed() const override { return report_.passed; }
  std::vector<Diagnostic> findings() const override;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 protected:
  /// Called on the worker thread; `progress` may be called there.
  using Work =
      std::function<Result<Report>(const Graph& graph, Assets& assets, const std::function<void(double)>& progress,
                                   const std::atomic<bool>& cancel)>;
  using CheckModel::CheckModel;
  /// The check as it is chosen now. It must not use the model.
  virtual Work work() const = 0;
  void clear() override { setRows({}); }
  std::string nodeOf(int row) const override;
  /// Null: there is no such row.
  const Row* row(int index) const;
  /// Without rows before the first.
  const Report& report() const { return report_; }

 private:
  void setRows(Report report);

  Report report_;
};

/// "y" of "mlp.y" in "mlp"; "(matmul)" for an op's value inside its node, which has no name.
QString value_in_node(const std::string& name, const std::string& node, std::string_view op);
/// An error as a share of what is allowed: "37 %", "∞".
QString share_of_allowed(double error);
/// What a check of training has for a loss where the graph has no Train node.
QString stand_in_text();

namespace verdicts {

/// Translated in the context of VerdictModel; `count`: for %n.
inline QString tr(const char* text, int count = -1) {
  return VerdictModel::tr(text, nullptr, count);
}

}  // namespace verdicts

}  // namespace hw::app
