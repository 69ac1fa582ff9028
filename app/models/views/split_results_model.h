// SplitResultsModel: what a classifier gets wrong over a whole split: a row for each class, a confusion matrix, and the
// samples that are furthest off.
#pragma once

#include <QImage>
#include <QObject>
#include <QVariantList>

#include "app/models/run/run_model.h"

namespace hw::app {

/// The Confusion Matrix and the Worst Samples of the run's last measurement; the first by id of several. GUI thread.
class SplitResultsModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool empty READ empty NOTIFY changed)
  /// Where the graph has what is shown here and nothing was measured yet: when that will be, or why it was not. "" in a
  /// graph without.
  Q_PROPERTY(QString due READ due NOTIFY changed)
  Q_PROPERTY(int size READ size NOTIFY changed)  // classes; 0: no matrix was measured
  /// {name, precision, recall, f1, samples, worst: the F1 score is the lowest} in the order of classes; texts.
  Q_PROPERTY(QVariantList classes READ classes NOTIFY changed)
  /// A pixel a cell, the right class down, the predicted one across: its share of the right class. As a data URL.
  Q_PROPERTY(QString matrix READ matrix NOTIFY changed)
  /// {count: the samples, "" of none; bright: letters on it are to be dark}, row by row; empty of more classes than
  /// cells have room for numbers.
  Q_PROPERTY(QVariantList cells READ cells NOTIFY changed)
  /// {picture, label, predicted, loss, row, wrong}, the largest loss first; the picture as a data URL, "" where samples
  /// are no pictures.
  Q_PROPERTY(QVariantList worst READ worst NOTIFY changed)
  /// What the numbers of the last measurement say: RunModel's metricsMeaning.
  Q_PROPERTY(QString meaning READ meaning NOTIFY meaningChanged)

 public:
  SplitResultsModel(Document& document, RunModel& run, QObject* parent = nullptr);
  bool empty() const { return shares_.empty() && worst_.empty(); }
  const QString& due() const { return due_; }
  int size() const { return static_cast<int>(classes_.size()); }
  const QVariantList& classes() const { return classes_; }
  const QString& matrix() const { return matrix_; }
  const QVariantList& cells() const { return cells_; }
  const QVariantList& worst() const { return worst_; }
  QString meaning() const { return run_.metricsMeaning(); }
  /// "7 taken for 1: 12 of 1,028"; "" outside.
  Q_INVOKABLE QString cell(int right, int predicted) const;

 Q_SIGNALS:
  void changed();
  void meaningChanged();

 private:
  void take();
  void updateDue();
  QString dueText() const;
  void takeMatrix(const Tensor& shares);
  void takeWorst(const std::vector<Tensor>& outputs);
  QString nameOf(int64_t label) const;
  /// The samples of a cell, and their share of its row.
  double samplesIn(size_t right, size_t predicted) const;
  double shareOf(size_t right, size_t predicted) const;

  Document& document_;
  RunModel& run_;
  std::shared_ptr<const Measurement> shown_;
  std::vector<double> shares_;  // [C, C], of all samples
  std::vector<double> rows_;    // sums of its rows
  QVariantList classes_, cells_, worst_;
  QString matrix_, due_;
};

}  // namespace hw::app
