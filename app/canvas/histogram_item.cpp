#include "app/canvas/histogram_item.h"

#include <cmath>

#include "app/canvas/quads.h"

namespace hw::app {
namespace {

constexpr double kTickSpacing = 44;  // pixels that a label needs

}  // namespace

HistogramItem::HistogramItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &HistogramItem::coloursChanged, this, &QQuickItem::update);
}

void HistogramItem::setHistogram(const QVariantMap& histogram) {
  if (histogram == histogram_) return;
  histogram_ = histogram;
  const qsizetype bins = bins_.size();
  const int first = first_;
  bins_ = histogram_["bins"].toList();
  first_ = histogram_["first"].toInt();
  update();
  if (bins_.size() != bins || first_ != first) Q_EMIT ticksChanged();
  Q_EMIT histogramChanged();
}

void HistogramItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  update();
  if (now.width() != before.width()) Q_EMIT ticksChanged();
}

double HistogramItem::xOf(double exponent) const {
  const auto bins = static_cast<double>(bins_.size());
  return std::clamp((exponent - first_) / bins, 0.0, 1.0) * width();
}

QVariantList HistogramItem::ticks() const {
  QVariantList list;
  if (bins_.isEmpty() || width() <= 0) return list;
  const double octaves = kTickSpacing * static_cast<double>(bins_.size()) / width();
  int step = 1;
  while (step < octaves) step *= 2;
  for (int e = (first_ / step) * step; e <= first_ + bins_.size(); e += step) {
    const double x = (e - first_) / static_cast<double>(bins_.size()) * width();
    if (x >= 12 && x <= width() - 12) list.append(QVariantMap{{"x", x}, {"exponent", e}});
  }
  return list;
}

QVariantMap HistogramItem::read(double x) const {
  const auto at = static_cast<qsizetype>(std::floor(x / std::max(1.0, width()) * static_cast<double>(bins_.size())));
  if (at < 0 || at >= bins_.size()) return {};
  return {{"low", first_ + static_cast<int>(at)}, {"high", first_ + static_cast<int>(at) + 1}, {"count", bins_[at]}};
}

QSGNode* HistogramItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  QSGNode* root = old;
  if (!root) {
    root = new QSGNode;
    for (int i = 0; i < 4; ++i) add_quads_node(root);
  }
  Quads band, subnormal, bars, outside;
  const bool hasBand = histogram_["hasBand"].toBool();
  const double normal = histogram_["normalFrom"].toDouble(), maximum = histogram_["maximum"].toDouble();
  if (hasBand && !bins_.isEmpty()) {
    subnormal.add(xOf(histogram_["subnormalFrom"].toDouble()), 0, xOf(normal), height());
    band.add(xOf(normal), 0, xOf(maximum), height());
  }
  double most = 1;
  for (const QVariant& n : bins_) most = std::max(most, n.toDouble());
  const double top = std::log1p(most);
  for (qsizetype i = 0; i < bins_.size(); ++i) {
    const double n = bins_[i].toDouble();
    if (n <= 0) continue;
    const int exponent = first_ + static_cast<int>(i);
    const double left = xOf(exponent), right = std::max(left + 1, xOf(exponent + 1) - 1);
    const double tall = std::max(2.0, (height() - 4) * std::log1p(n) / top);
    // The largest bin of a dtype ends at its maximum: it is inside.
    const bool normal_size = !hasBand || (exponent >= std::floor(normal) && exponent <= std::floor(maximum));
    (normal_size ? bars : outside).add(left, height() - tall, right, height());
  }
  band.give(root->childAtIndex(0), bandColour_);
  subnormal.give(root->childAtIndex(1), subnormalColour_);
  bars.give(root->childAtIndex(2), barColour_);
  outside.give(root->childAtIndex(3), warningColour_);
  return root;
}

}  // namespace hw::app
