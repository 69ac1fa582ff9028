#include "app/canvas/gauge_item.h"

#include <QColor>
#include <algorithm>
#include <cmath>

#include "app/canvas/strip_node.h"
#include "app/document/text.h"
#include "engine/instrument/instrument_report.h"

namespace hw::app {

GaugeItem::GaugeItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &GaugeItem::coloursChanged, this, &QQuickItem::update);
}

void GaugeItem::setGauge(const Gauge& gauge) {
  if (gauge == gauge_) return;
  gauge_ = gauge;
  update();
  Q_EMIT gaugeChanged();
}

void GaugeItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  update();
}

QRgb GaugeItem::colour(const QString& token, double alpha) const {
  QColor c = colours_.value(token).value<QColor>();
  c.setAlphaF(static_cast<float>(alpha) * c.alphaF());
  return c.rgba();
}

void GaugeItem::build(StripMesh& mesh) const {
  constexpr double kEnd = 3;  // width of the bars at the ends
  const InstrumentReading* r = gauge_.reading();
  const double w = width(), h = height(), inner = w - 2 * kEnd;
  if (!r || r->sample.bins.empty() || inner <= 0) return;
  const std::vector<int64_t>& bins = r->sample.bins;
  const int first = r->sample.first;
  const auto count = static_cast<double>(bins.size());
  const auto x_of = [&](double exponent) { return kEnd + std::clamp((exponent - first) / count, 0.0, 1.0) * inner; };
  add_rect(mesh, QRectF(-1, -1, w + 2, h + 2), colour(QStringLiteral("cardLine")));
  add_rect(mesh, QRectF(0, 0, w, h), colour(QStringLiteral("input")));
  const DTypeInfo& dtype = info(r->dtype);
  const double normal = std::log2(dtype.min_normal);
  const double low = x_of(std::log2(dtype.min_subnormal)), from = x_of(normal), to = x_of(std::log2(dtype.max));
  if (from > low) add_rect(mesh, QRectF(low, 0, from - low, h), colour(QStringLiteral("warningDim")));
  if (to > from) add_rect(mesh, QRectF(from, 0, to - from, h), colour(QStringLiteral("hover")));
  const auto most = static_cast<double>(std::max<int64_t>(1, *std::max_element(bins.begin(), bins.end())));
  const QRgb bar = colour(to_q(dtype.colour_token)), subnormal = colour(QStringLiteral("warning"));
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] <= 0) continue;
    const int exponent = first + static_cast<int>(i);
    const double left = x_of(exponent), right = std::max(left + 1, x_of(exponent + 1));
    const double tall = std::max(1.0, h * std::log1p(static_cast<double>(bins[i])) / std::log1p(most));
    add_rect(mesh, QRectF(left, h - tall, right - left, tall), exponent < std::floor(normal) ? subnormal : bar);
  }
  const auto end = [&](double share, double x) {
    const double tall = std::max(2.0, h * share);
    if (share > 0) add_rect(mesh, QRectF(x, h - tall, kEnd, tall), colour(QStringLiteral("error")));
  };
  end(heat(*r, InstrumentQuantity::underflow).value_or(0), 0);
  const double bad = r->look.infs + r->look.nans > 0 ? 1 : 0;
  end(std::max(bad, heat(*r, InstrumentQuantity::saturated).value_or(0)), w - kEnd);
}

QSGNode* GaugeItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  StripMesh mesh;
  build(mesh);
  return StripNode::showing(mesh, old);
}

}  // namespace hw::app
