// HistogramItem: counts of magnitudes as bars on a log2 axis, the dtype's band behind them. A scene-graph item.
#pragma once

#include <QColor>
#include <QQuickItem>
#include <QVariantMap>

namespace hw::app {

/// Heights are logarithmic, so that one bad value among a million shows. Bars outside the dtype's normal range take the
/// warning colour.
class HistogramItem : public QQuickItem {
  Q_OBJECT
  /// As TensorModel::histogram gives it.
  Q_PROPERTY(QVariantMap histogram READ histogram WRITE setHistogram NOTIFY histogramChanged)
  Q_PROPERTY(QColor barColour MEMBER barColour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor warningColour MEMBER warningColour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor bandColour MEMBER bandColour_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor subnormalColour MEMBER subnormalColour_ NOTIFY coloursChanged)
  /// {x, exponent} along the axis.
  Q_PROPERTY(QVariantList ticks READ ticks NOTIFY ticksChanged)

 public:
  explicit HistogramItem(QQuickItem* parent = nullptr);

  const QVariantMap& histogram() const { return histogram_; }
  void setHistogram(const QVariantMap& histogram);
  QVariantList ticks() const;
  /// The bar under x: {low, high: exponents, count}; empty outside.
  Q_INVOKABLE QVariantMap read(double x) const;

 Q_SIGNALS:
  void histogramChanged();
  void ticksChanged();
  void coloursChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  double xOf(double exponent) const;
  QVariantMap histogram_;
  QVariantList bins_;
  int first_ = 0;
  QColor barColour_, warningColour_, bandColour_, subnormalColour_;
};

}  // namespace hw::app
