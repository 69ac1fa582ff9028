// JacobianModel: how the outputs of the active node change with its inputs, at one sample of what flows into it.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QVariantList>
#include <atomic>

#include "app/document/document.h"
#include "engine/gradient/jacobian.h"

namespace hw::app {

class RunModel;

/// Computed on a worker thread with the weights of the moment, when asked for. GUI thread; the destructor waits.
class JacobianModel : public QObject {
  Q_OBJECT
  /// The active node is a function of few numbers: one of category Math.
  Q_PROPERTY(bool offered READ offered NOTIFY offeredChanged)
  Q_PROPERTY(bool running READ running NOTIFY runningChanged)
  Q_PROPERTY(int sample READ sample WRITE setSample NOTIFY changed)
  Q_PROPERTY(int samples READ samples NOTIFY changed)
  /// {title "∂y / ∂x", columns [name], at [value], rows [{name, cells}]} an output and input; empty: not asked for.
  Q_PROPERTY(QVariantList blocks READ blocks NOTIFY changed)
  /// Why there is none; "" where there is one.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)

 public:
  JacobianModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~JacobianModel() override;

  Q_INVOKABLE void start();

  bool offered() const;
  bool running() const { return running_; }
  int sample() const { return sample_; }
  /// Computes again where one is shown.
  void setSample(int sample);
  int samples() const { return samples_; }
  const QVariantList& blocks() const { return blocks_; }
  const QString& problem() const { return problem_; }

 Q_SIGNALS:
  void offeredChanged();
  void runningChanged();
  void changed();

 private:
  void clear();
  void take(const Result<Jacobian>& result);

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  QVariantList blocks_;
  QString problem_;
  int sample_ = 0, samples_ = 1;
  bool running_ = false, again_ = false;  // again_: asked for while one was computed
  int generation_ = 0;                    // of the graph and the active node
  std::atomic<bool> cancel_{false};
  QThreadPool work_;
};

}  // namespace hw::app
