// LossScalePlot: the loss scale step by step, steps that were left out marked. A scene-graph item.
#pragma once

#include <QColor>
#include <QQuickItem>
#include <QVariantList>

#include "app/models/run/run_model.h"

namespace hw::app {

/// The scale on a log2 axis, over the steps of a LossPlot beside it. GUI thread, but for updatePaintNode.
class LossScalePlot : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::RunModel* run READ run WRITE setRun NOTIFY runChanged)
  /// Steps over the whole width.
  Q_PROPERTY(double lastStep MEMBER steps_ WRITE setLastStep NOTIFY runChanged)
  Q_PROPERTY(QColor colour MEMBER colour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor skippedColour MEMBER skippedColour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor gridColour MEMBER gridColour_ NOTIFY coloursChanged)
  /// No run with loss scaling.
  Q_PROPERTY(bool empty READ empty NOTIFY changed)
  /// "65536", and "3 steps left out" where there are some.
  Q_PROPERTY(QString scale READ scale NOTIFY changed)
  Q_PROPERTY(QString skipped READ skipped NOTIFY changed)
  /// {y, text} of the highest and the lowest scale.
  Q_PROPERTY(QVariantList ticks READ ticks NOTIFY changed)

 public:
  explicit LossScalePlot(QQuickItem* parent = nullptr);

  RunModel* run() const { return run_; }
  void setRun(RunModel* run);
  void setLastStep(double steps);
  bool empty() const { return !events_ || events_->empty(); }
  QString scale() const;
  QString skipped() const;
  QVariantList ticks() const;
  /// What happened under x: {step, x, text, tip, node}; `node`: the id of the one whose gradient was bad, or "". The
  /// nearest step that was left out within a few pixels counts more than the scale there. Empty where there is nothing.
  Q_INVOKABLE QVariantMap read(double x) const;

 Q_SIGNALS:
  void runChanged();
  void coloursChanged();
  void changed();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void refresh();
  /// The x of the middle of a step, 0-based.
  double xOf(uint64_t step) const;
  double yOf(double scale) const;
  RunModel* run_ = nullptr;
  QColor colour_, skippedColour_, gridColour_;
  std::shared_ptr<const std::vector<LossScaleEvent>> events_;
  double steps_ = 0;
  uint64_t done_ = 0;           // steps
  double low_ = 0, high_ = 16;  // log2 of the axis' ends
};

}  // namespace hw::app
