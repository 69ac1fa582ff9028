// TensorModel: the active node's tensors, or their gradients: a row each, and statistics, histogram and table of one.
#pragma once

#include <QAbstractListModel>
#include <QThreadPool>
#include <QVariantMap>

#include "app/models/tensors/tensor_image_model.h"
#include "app/models/tensors/tensor_table_model.h"
#include "engine/core/tensor_statistics.h"
#include "engine/train/run_snapshot.h"

namespace hw::app {

class EvaluatedNode;
class RunModel;

/// Renewed with each inspection the run hands out; of values also without a run, as they are evaluated. Statistics are
/// made on a worker thread; when that is slower than the run, inspections in between are skipped. GUI thread.
class TensorModel : public QAbstractListModel {
  Q_OBJECT
  /// The step whose passes all numbers belong to, parameters as they read them, before its update; from 1.
  Q_PROPERTY(qulonglong step READ step NOTIFY measured)
  /// There is no step: the values were computed without training,
  Q_PROPERTY(bool evaluated READ evaluated NOTIFY measured)
  /// and that in training mode, see Evaluation.
  Q_PROPERTY(bool training READ training NOTIFY measured)
  /// They are as before the last change: WatchedView::older.
  Q_PROPERTY(bool older READ older NOTIFY hintChanged)
  /// Why there is nothing; "": nothing is known.
  Q_PROPERTY(QString hint READ hint NOTIFY hintChanged)
  Q_PROPERTY(int count READ count NOTIFY measured)
  /// NodeInspection::batches of an evaluation.
  Q_PROPERTY(int batches READ batches NOTIFY measured)
  Q_PROPERTY(int current READ current WRITE setCurrent NOTIFY currentChanged)
  /// The numbers of the current row: {dtype, dtypeToken, shape, count, min, max, mean, deviation, zeros, subnormal,
  /// saturated, nans, infs: texts with shares, bad: something is not finite, scale: of a stored gradient, "" when 1,
  /// absent: why there is nothing}.
  Q_PROPERTY(QVariantMap numbers READ numbers NOTIFY currentChanged)
  /// The histogram of the current row: {first: exponent of the first bin, bins: [counts], subnormalFrom, normalFrom,
  /// maximum: exponents of the dtype's band, hasBand}.
  Q_PROPERTY(QVariantMap histogram READ histogram NOTIFY currentChanged)
  Q_PROPERTY(hw::app::TensorTableModel* table READ table CONSTANT)
  Q_PROPERTY(hw::app::TensorImageModel* image READ image CONSTANT)
  /// What computes the node, forward or backward, chosen by work; where it has several layers a line for each.
  Q_PROPERTY(QString kernel READ kernel NOTIFY measured)

 public:
  enum Role { NameRole = Qt::UserRole + 1, IsParamRole, DTypeRole, TokenRole, ShapeRole, AbsentRole, BadRole };
  enum class What : uint8_t { values, gradients };

  /// `evaluated`: what is shown without a run; may be null. It and the run outlive the model.
  TensorModel(RunModel& run, EvaluatedNode* evaluated, What what, QObject* parent = nullptr);
  ~TensorModel() override;

  /// Whether it is visible; else it does no work.
  void setWatched(bool on);
  qulonglong step() const { return shown_ ? shown_->source->step + 1 : 0; }
  bool evaluated() const { return shown_ && shown_->source->evaluated; }
  bool training() const { return shown_ && shown_->source->training; }
  bool older() const;
  QString hint() const;
  int count() const { return shown_ ? static_cast<int>(shown_->rows.size()) : 0; }
  int batches() const { return shown_ ? static_cast<int>(shown_->source->batches) : 0; }
  int current() const { return current_; }
  void setCurrent(int row);
  QVariantMap numbers() const;
  QVariantMap histogram() const;
  TensorTableModel* table() { return &table_; }
  TensorImageModel* image() { return &image_; }
  QString kernel() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void measured();
  void currentChanged();
  void hintChanged();

 private:
  using Source = std::shared_ptr<const NodeInspection>;
  /// An inspection and what was made of it. Immutable.
  struct Measured {
    Source source;
    std::vector<TensorStatistics> rows;
  };
  Source source() const;
  const Tensor& tensorOf(const NodeInspection::Item& item) const;
  const NodeInspection::Item* currentItem() const;
  void measureNext();
  void accept(std::shared_ptr<const Measured> next);

  RunModel& run_;
  EvaluatedNode* evaluated_;
  What what_;
  std::shared_ptr<const Measured> shown_;
  int current_ = 0;
  bool watched_ = false, working_ = false;
  void show(const Tensor& tensor);
  TensorTableModel table_;
  TensorImageModel image_;
  QThreadPool work_;
};

}  // namespace hw::app
