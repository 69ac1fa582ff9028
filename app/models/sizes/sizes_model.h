// SizesModel: the symbolic sizes of a model that is being imported: which have to be known, what is proposed, what a
// user has typed.
#pragma once

#include <QAbstractListModel>
#include <map>
#include <vector>

#include "app/interop/onnx/example_sizes.h"
#include "app/interop/onnx/import_graph.h"

namespace hw::app {

/// A row a size: those that are asked for first, then those that stay symbolic. GUI thread.
class SizesModel : public QAbstractListModel {
  Q_OBJECT
  /// The name of the model; "" while none is asked about.
  Q_PROPERTY(QString name READ name NOTIFY changed)
  /// Why sizes are asked for.
  Q_PROPERTY(QString because READ because NOTIFY changed)
  /// What was found with the sizes that were taken last; "": nothing.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  /// Every field has a size.
  Q_PROPERTY(bool valid READ valid NOTIFY changed)
  /// With the sizes as they stand operators are known to be missing: taking them takes the model as it is.
  Q_PROPERTY(bool lacking READ lacking NOTIFY changed)
  /// The model is read with other sizes.
  Q_PROPERTY(bool busy READ busy NOTIFY changed)

 public:
  enum Roles {
    SymbolRole = Qt::UserRole,
    UsesRole,    // "image axis 2, mask axis 1"
    ShapesRole,  // the shapes of these inputs, a line each
    AskedRole,   // it has a field
    TextRole,    // what is in it
    BecomesRole,
    FromRole,     // the proposal, and where it comes from
    ProblemRole,  // why what is typed is no size; "": it is one
  };
  using Sizes = std::map<std::string, int64_t>;

  explicit SizesModel(QObject* parent = nullptr);

  /// Whether anything of a model that was read so is to be asked for.
  static bool asks(const interop::OnnxModel& file, const interop::ImportedModel& made);
  /// Sizes that are proposed.
  static Sizes proposed(const interop::OnnxModel& file);
  /// Begins with the proposals, with which `made` was read. asked() follows.
  void show(const QString& name, const interop::OnnxModel& file, const interop::ImportedModel& made);
  /// The model was read with sizes() as they are. False: something is to be asked for that was not, or does not fit.
  bool renew(const interop::ImportedModel& made);
  /// It cannot be read with these sizes.
  void refuse(const QString& problem);
  void setBusy(bool busy);
  /// Nothing is asked for any more. closed() follows.
  void close();
  /// By symbol; those without a size are left out.
  Sizes sizes() const;

  Q_INVOKABLE void type(int row, const QString& text);
  /// What the field of a row has one step further, up (1) or down (−1): another multiple, where it has to be one.
  Q_INVOKABLE QString nudged(int row, int direction) const;
  /// The first row whose field has no size; −1: all have.
  Q_INVOKABLE int firstWrong() const;
  /// accepted() follows, unless a field has no size.
  Q_INVOKABLE void accept();
  /// cancelled() follows, unless nothing is asked.
  Q_INVOKABLE void cancel();

  const QString& name() const { return name_; }
  QString because() const;
  QString problem() const;
  bool valid() const { return firstWrong() < 0; }
  bool lacking() const;
  bool busy() const { return busy_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void changed();
  void asked();
  void closed();
  void accepted(const std::map<std::string, int64_t>& sizes);
  void cancelled();

 private:
  struct Row {
    QString symbol, uses, shapes, text;
    interop::ExampleSize example;
    interop::SizeConstraint constraint = interop::SizeConstraint::symbolic;
    int64_t multiple = 1;
    bool asked() const { return constraint != interop::SizeConstraint::symbolic; }
  };
  void take(Row& row, const interop::ImportedModel& made) const;
  void explain(const interop::ImportedModel& made);
  std::string problemOf(const Row& row) const;
  std::vector<Row> rows_;
  QString name_, because_, lacks_, refused_;
  Sizes read_;  // with which the model was read last
  bool busy_ = false;
};

}  // namespace hw::app
