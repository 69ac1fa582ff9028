// LossPlot: losses against steps on a log axis: the run now, and earlier ones faintly. A scene-graph item.
#pragma once

#include <QColor>
#include <QQuickItem>
#include <QVariantList>

#include "app/models/run/run_model.h"
#include "app/models/views/plot_columns.h"

namespace hw::app {

/// Draws the curves; axes are labelled in QML from `ticks`. GUI thread, but for updatePaintNode.
class LossPlot : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::RunModel* run READ run WRITE setRun NOTIFY runChanged)
  Q_PROPERTY(QColor colour MEMBER colour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor pastColour MEMBER pastColour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor validationColour MEMBER validationColour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor gridColour MEMBER gridColour_ NOTIFY coloursChanged)
  /// {y, text} of the decades (or of a few round values within one).
  Q_PROPERTY(QVariantList ticks READ ticks NOTIFY ticksChanged)
  Q_PROPERTY(double lastStep READ lastStep NOTIFY axesChanged)
  Q_PROPERTY(bool empty READ empty NOTIFY axesChanged)
  /// Whether the loss on a validation split is drawn, too.
  Q_PROPERTY(bool validates READ validates NOTIFY axesChanged)

 public:
  explicit LossPlot(QQuickItem* parent = nullptr);

  RunModel* run() const { return run_; }
  void setRun(RunModel* run);
  QVariantList ticks() const;
  double lastStep() const { return steps_; }
  bool empty() const { return steps_ <= 0; }
  bool validates() const { return !validation_.empty(); }
  /// What the curve says under x: {step, loss, y, validation: the last loss measured until then, or ""}; empty where
  /// there is no curve.
  Q_INVOKABLE QVariantMap read(double x) const;

 Q_SIGNALS:
  void runChanged();
  void coloursChanged();
  void axesChanged();
  void ticksChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void refresh();
  double yOf(double loss) const;
  RunModel* run_ = nullptr;
  QColor colour_, pastColour_, validationColour_, gridColour_;
  struct Measured {
    double step = 0, loss = 0;
  };
  std::vector<PlotColumn> now_;
  std::vector<Measured> validation_;
  std::vector<std::vector<PlotColumn>> past_;
  double steps_ = 0;
  double low_ = -1, high_ = 0;  // log10 of the axis' ends
  double ticksHeight_ = -1;     // for which ticksChanged was last emitted
};

}  // namespace hw::app
