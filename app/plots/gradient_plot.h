// GradientPlot: sizes of gradients, or of updates, against steps on a log axis: a curve a node. A scene-graph item.
#pragma once

#include <QColor>
#include <QQuickItem>
#include <QVariantList>

#include "app/models/instruments/gradient_flow_model.h"
#include "app/models/views/plot_columns.h"

namespace hw::app {

/// Draws the curves, those of the active node and of `strong` over the others; axes are labelled in QML from `ticks`.
/// GUI thread, but for updatePaintNode. At most kMostPieces pieces of line, however many curves there are.
class GradientPlot : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::GradientFlowModel* model READ model WRITE setModel NOTIFY modelChanged)
  /// By the curves' numbers; then again, dashed.
  Q_PROPERTY(QVariantList colours MEMBER colours_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor gridColour MEMBER gridColour_ NOTIFY coloursChanged)
  /// What lies behind the sizes that are usual for updates.
  Q_PROPERTY(QColor usualColour MEMBER usualColour_ NOTIFY coloursChanged)
  /// A node whose curve is drawn as strongly as the active one's; "": none.
  Q_PROPERTY(QString strong MEMBER strong_ NOTIFY coloursChanged)
  /// {y, text} of powers of ten.
  Q_PROPERTY(QVariantList ticks READ ticks NOTIFY axesChanged)
  Q_PROPERTY(double firstStep READ firstStep NOTIFY axesChanged)
  Q_PROPERTY(double lastStep READ lastStep NOTIFY axesChanged)
  /// The lower edge of what is usual for updates; NaN otherwise.
  Q_PROPERTY(double usualBottom READ usualBottom NOTIFY axesChanged)

 public:
  static constexpr int kMostPieces = 20'000;

  explicit GradientPlot(QQuickItem* parent = nullptr);

  GradientFlowModel* model() const { return model_; }
  void setModel(GradientFlowModel* model);
  const QVariantList& ticks() const { return ticks_; }
  double firstStep() const { return left_; }
  double lastStep() const { return right_; }
  double usualBottom() const;
  /// The curve nearest to a place, at the look nearest to it: {node, title, step, value, sampled: words or "",
  /// number, x, y}; empty where
  /// there is none. In the middle of a gap between looks {gap: its ends and why, x, y}.
  Q_INVOKABLE QVariantMap read(double x, double y) const;

 Q_SIGNALS:
  void modelChanged();
  void coloursChanged();
  void axesChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void refresh();
  bool blank() const { return !model_ || model_->empty() || width() <= 0 || height() <= 0; }
  double xOf(double step) const { return right_ > left_ ? (step - left_) / (right_ - left_) * width() : width() / 2; }
  double yOf(double value) const;
  GradientFlowModel* model_ = nullptr;
  QVariantList colours_, ticks_;
  QColor gridColour_, usualColour_;
  QString strong_;
  std::vector<std::vector<PlotColumn>> columns_;  // of each curve
  double left_ = 1, right_ = 1;                   // steps
  double low_ = -1, high_ = 0;                    // log10 of the axis' ends
};

}  // namespace hw::app
