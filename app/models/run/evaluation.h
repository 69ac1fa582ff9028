// Evaluation: when and how a graph is computed without training, as the user chose it.
#pragma once

#include <QObject>
#include <algorithm>
#include <memory>
#include <utility>

#include "app/models/run/given_inputs.h"

namespace hw::app {

/// GUI thread.
class Evaluation : public QObject {
  Q_OBJECT
  /// What is shown follows every change. Else it stays, marked as out of date, until an update is requested; or until a
  /// run begins.
  Q_PROPERTY(bool live READ live WRITE setLive NOTIFY liveChanged)
  /// Tensors and plots are computed as in a training step: dropout on, batch norm by the batch's own statistics. Fields
  /// have no batch: they are always in evaluation mode.
  Q_PROPERTY(bool training READ training WRITE setTraining NOTIFY modeChanged)
  /// The batch that tensors and plots are computed of, from 0: data sets, samplers and random numbers are as in this
  /// step. Like what is given to Inputs it is no part of the document, and training does not follow it.
  Q_PROPERTY(int batch READ batch WRITE setBatch NOTIFY batchChanged)

 public:
  explicit Evaluation(QObject* parent = nullptr) : QObject(parent) {}

  bool live() const { return live_; }
  void setLive(bool on) {
    if (std::exchange(live_, on) != on) Q_EMIT liveChanged();
  }
  bool training() const { return training_; }
  void setTraining(bool on) {
    if (std::exchange(training_, on) != on) Q_EMIT modeChanged();
  }
  int batch() const { return batch_; }
  void setBatch(int batch) {
    if (std::exchange(batch_, std::max(0, batch)) == batch_) return;
    Q_EMIT batchChanged();
    Q_EMIT inputsChanged();
  }
  /// How many there are until a data set begins anew; 0: not known, or no end.
  void setBatches(int64_t batches) { batches_ = batches; }
  /// The next batch by 1, the one before by −1; around the end of the data set.
  Q_INVOKABLE void stepBatch(int by) {
    const int64_t next = batch_ + by;
    setBatch(static_cast<int>(batches_ > 0 ? ((next % batches_) + batches_) % batches_ : next));
  }
  /// Never null.
  const std::shared_ptr<const GivenInputs>& given() const { return given_; }
  void setGiven(std::shared_ptr<const GivenInputs> given) {
    given_ = std::move(given);
    Q_EMIT inputsChanged();
  }
  /// Computes what is in view, as the graph is now.
  Q_INVOKABLE void evaluate() { Q_EMIT asked(); }

 Q_SIGNALS:
  void liveChanged();
  void modeChanged();
  void asked();
  void batchChanged();
  /// The batch, or what is given to Inputs.
  void inputsChanged();

 private:
  bool live_ = true, training_ = false;
  int batch_ = 0;
  int64_t batches_ = 0;
  std::shared_ptr<const GivenInputs> given_ = std::make_shared<const GivenInputs>();
};

}  // namespace hw::app
