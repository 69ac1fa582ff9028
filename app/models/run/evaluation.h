// Evaluation: when and how a graph is computed without training, as a person chose it.
#pragma once

#include <QObject>
#include <utility>

namespace hw::app {

/// GUI thread.
class Evaluation : public QObject {
  Q_OBJECT
  /// What is shown follows every change. Else it stays, and says so, until it is asked for; or until a run begins.
  Q_PROPERTY(bool live READ live WRITE setLive NOTIFY liveChanged)
  /// Tensors and plots are computed as in a training step: dropout on, batch norm by the batch's own statistics. Fields
  /// have no batch: they are always in evaluation mode.
  Q_PROPERTY(bool training READ training WRITE setTraining NOTIFY modeChanged)

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
  /// Computes what is looked at, as the graph is now.
  Q_INVOKABLE void evaluate() { Q_EMIT asked(); }

 Q_SIGNALS:
  void liveChanged();
  void modeChanged();
  void asked();

 private:
  bool live_ = true, training_ = false;
};

}  // namespace hw::app
