#include "app/canvas/gauge_item.h"

#include <QColor>
#include <algorithm>
#include <cmath>

#include "app/canvas/strip_node.h"

namespace hw::app {

GaugeItem::GaugeItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &GaugeItem::coloursChanged, this, &QQuickItem::update);
}

void GaugeItem::setGauge(const QVariantMap& gauge) {
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
  const QVariantList bins = gauge_["bins"].toList();
  const double w = width(), h = height(), inner = w - 2 * kEnd;
  if (bins.isEmpty() || inner <= 0) return;
  const int first = gauge_["first"].toInt();
  const auto count = static_cast<double>(bins.size());
  const auto x_of = [&](double exponent) { return kEnd + std::clamp((exponent - first) / count, 0.0, 1.0) * inner; };
  add_rect(mesh, QRectF(-1, -1, w + 2, h + 2), colour(QStringLiteral("cardLine")));
  add_rect(mesh, QRectF(0, 0, w, h), colour(QStringLiteral("input")));
  const double normal = gauge_["normalFrom"].toDouble();
  const double low = x_of(gauge_["subnormalFrom"].toDouble()), from = x_of(normal);
  const double to = x_of(gauge_["maximum"].toDouble());
  if (from > low) add_rect(mesh, QRectF(low, 0, from - low, h), colour(QStringLiteral("warningDim")));
  if (to > from) add_rect(mesh, QRectF(from, 0, to - from, h), colour(QStringLiteral("hover")));
  double most = 1;
  for (const QVariant& n : bins) most = std::max(most, n.toDouble());
  const QRgb bar = colour(gauge_["token"].toString()), subnormal = colour(QStringLiteral("warning"));
  for (qsizetype i = 0; i < bins.size(); ++i) {
    const double n = bins[i].toDouble();
    if (n <= 0) continue;
    const int exponent = first + static_cast<int>(i);
    const double left = x_of(exponent), right = std::max(left + 1, x_of(exponent + 1));
    const double tall = std::max(1.0, h * std::log1p(n) / std::log1p(most));
    add_rect(mesh, QRectF(left, h - tall, right - left, tall), exponent < std::floor(normal) ? subnormal : bar);
  }
  const auto end = [&](const char* key, double x) {
    const double heat = gauge_[QLatin1String(key)].toDouble();
    if (heat > 0)
      add_rect(mesh, QRectF(x, h - std::max(2.0, h * heat), kEnd, std::max(2.0, h * heat)),
               colour(QStringLiteral("error")));
  };
  end("lost", 0);
  end("over", w - kEnd);
}

QSGNode* GaugeItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  auto* node = static_cast<StripNode*>(old);
  StripMesh mesh;
  build(mesh);
  if (mesh.vertices.empty()) {
    delete node;
    return nullptr;
  }
  if (!node) node = new StripNode;
  node->take(mesh);
  return node;
}

}  // namespace hw::app
