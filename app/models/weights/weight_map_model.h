// WeightMapModel: the tensors of a file against the parameters of the graph, before any is taken.
#pragma once

#include <QAbstractListModel>
#include <QThreadPool>
#include <QUrl>

#include "app/document/document.h"
#include "app/models/run/run_model.h"
#include "engine/graph/weights/map_weights.h"

namespace hw::app {

/// A row a parameter, as the graph runs. What is chosen by hand counts more than the names that the graph keeps, and
/// these more than what is found. GUI thread; files are read on another.
class WeightMapModel : public QAbstractListModel {
  Q_OBJECT
  /// The name of the file; "" before one is read.
  Q_PROPERTY(QString name READ name NOTIFY changed)
  /// How many parameters have a tensor, and what does not fit.
  Q_PROPERTY(QString summary READ summary NOTIFY changed)
  /// Why nothing can be loaded now; "" where it can.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  /// Tensors that are no parameter's, by name.
  Q_PROPERTY(QStringList unused READ unused NOTIFY changed)
  /// How tensors of other names are found: 0 by similar name, 1 by shape too, 2 by order too.
  Q_PROPERTY(int far READ far WRITE setFar NOTIFY changed)
  /// Tensors of other float dtypes become the graph's.
  Q_PROPERTY(bool convert READ convert WRITE setConvert NOTIFY changed)
  /// What fits is taken, the rest left; else all or nothing.
  Q_PROPERTY(bool partial READ partial WRITE setPartial NOTIFY changed)
  Q_PROPERTY(bool loadable READ loadable NOTIFY changed)

 public:
  enum Roles {
    ParameterRole = Qt::UserRole,
    NeedsRole,   // "bf16 [16, 8]"
    TensorRole,  // "" where there is none
    HasRole,     // "f8e4m3 [16, 8]"
    FoundByRole,
    ProblemRole,  // why it does not fit; "" where it does
  };
  WeightMapModel(Document& document, RunModel& run, QObject* parent = nullptr);
  ~WeightMapModel() override;

  /// A .safetensors file or the index of a sharded set. refused() where it cannot be read; ready() once it was.
  Q_INVOKABLE void read(const QUrl& file);
  /// Those beside the graph that were read and do not fit.
  Q_INVOKABLE void lookAtUnfitted();
  /// Tensors of a row's sizes, its own and those that are no parameter's.
  Q_INVOKABLE QStringList candidates(int row) const;
  /// Gives a row another tensor; "": none.
  Q_INVOKABLE void choose(int row, const QString& tensor);
  /// Gives the graph the weights, and their names as an undo step.
  Q_INVOKABLE void load();
  /// Forgets the file.
  Q_INVOKABLE void close();

  const QString& name() const { return name_; }
  QString summary() const;
  QString problem() const;
  QStringList unused() const;
  int far() const { return far_; }
  void setFar(int far);
  bool convert() const { return convert_; }
  void setConvert(bool on);
  bool partial() const { return partial_; }
  void setPartial(bool on);
  bool loadable() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void changed();
  /// A file was read: its table can be shown.
  void ready();
  void refused(const QString& code, const QString& reason, const QString& remedy);

 private:
  using Tensors = std::map<std::string, Tensor>;
  void show(std::shared_ptr<const Tensors> tensors, const QString& name);
  void replace(std::shared_ptr<const Tensors> tensors);
  void renew();
  bool isBusy() const { return run_.running() || run_.paused(); }

  Document& document_;
  RunModel& run_;
  std::shared_ptr<const Tensors> tensors_;
  Tensors offered_;  // without those that the user has taken from a row
  QString name_;
  size_t unread_ = 0;                          // tensors of the file, of dtypes that Halfwire does not have
  std::map<std::string, std::string> chosen_;  // by parameter; "": none is wanted
  WeightMapping mapping_;
  std::map<std::string, std::string> problems_;  // by parameter: why it does not fit
  int far_ = 0;
  bool convert_ = false, partial_ = false;
  int generation_ = 0;  // of what is shown: a late file is dropped
  QThreadPool thread_;
};

}  // namespace hw::app
