// GaugeItem: a histogram of magnitudes in a few pixels, before the band of its dtype.
#pragma once

#include <QQuickItem>
#include <QVariantMap>

#include "app/canvas/wire_strip.h"
#include "app/models/cards/gauge.h"

namespace hw::app {

/// The band is light where numbers are normal, tinted where they are subnormal. A bar at the left end is what was lost
/// to zero, one at the right end what is saturated, Inf or NaN; their height is the heat.
class GaugeItem : public QQuickItem {
  Q_OBJECT
  /// InstrumentsModel's.
  Q_PROPERTY(hw::app::Gauge gauge READ gauge WRITE setGauge RESET resetGauge NOTIFY gaugeChanged)
  /// Theme tokens to colours.
  Q_PROPERTY(QVariantMap colours MEMBER colours_ NOTIFY coloursChanged)

 public:
  explicit GaugeItem(QQuickItem* parent = nullptr);
  const Gauge& gauge() const { return gauge_; }
  void setGauge(const Gauge& gauge);
  void resetGauge() { setGauge({}); }

 Q_SIGNALS:
  void gaugeChanged();
  void coloursChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  QRgb colour(const QString& token, double alpha = 1) const;
  void build(StripMesh& mesh) const;
  Gauge gauge_;
  QVariantMap colours_;
};

}  // namespace hw::app
