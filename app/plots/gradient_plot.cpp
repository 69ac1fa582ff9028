#include "app/plots/gradient_plot.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "app/canvas/curve.h"
#include "app/models/text/format.h"
#include "app/models/views/log_ticks.h"
#include "engine/instrument/gradient_paths.h"

namespace hw::app {
namespace {

constexpr double kPitch = 2;                              // px a column
constexpr double kThin = 1.25, kStrong = 2.75, kDot = 5;  // px; a dot where there is one look
constexpr float kBehind = 0.6F;                           // opacity of curves behind a strong one
constexpr Dash kDashes[] = {{1, 0}, {6, 4}, {2, 3}};

bool is_usual(const GradientFlowModel* model) {
  return model && model->updates();
}

}  // namespace

GradientPlot::GradientPlot(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &GradientPlot::coloursChanged, this, &QQuickItem::update);
}

void GradientPlot::setModel(GradientFlowModel* model) {
  if (model == model_) return;
  if (model_) model_->disconnect(this);
  model_ = model;
  if (model_) connect(model_, &GradientFlowModel::curvesChanged, this, &GradientPlot::refresh);
  refresh();
  Q_EMIT modelChanged();
}

void GradientPlot::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  if (now.size() != before.size()) refresh();
}

double GradientPlot::yOf(double value) const {
  return height() * (high_ - std::log10(value)) / (high_ - low_);
}

double GradientPlot::usualBottom() const {
  return is_usual(model_) ? yOf(kUsualUpdate / 10) : NAN;
}

void GradientPlot::refresh() {
  columns_.clear();
  ticks_.clear();
  update();
  if (!blank()) {
    double low = INFINITY, high = -INFINITY;
    for (const GradientCurve& curve : model_->curves()) {
      for (const double y : curve.y) {
        if (std::isnan(y)) continue;
        low = std::min(low, std::log10(y));
        high = std::max(high, std::log10(y));
      }
    }
    if (low > high) low = -1, high = 0;
    if (is_usual(model_)) {
      low = std::min(low, std::log10(kUsualUpdate) - 1);
      high = std::max(high, std::log10(kUsualUpdate) + 1);
    }
    // Half decades, so that the axis does not creep with every look.
    low_ = std::floor(low * 2) / 2;
    high_ = std::max(std::ceil(high * 2) / 2, low_ + 0.5);
    left_ = model_->points().steps.front();
    right_ = model_->points().steps.back();
    for (const double value : log_ticks(low_, high_, height(), kLogTickHeight, kMostLogTicks))
      ticks_.append(QVariantMap{{"y", yOf(value)}, {"text", format_number(value, 2)}});
    const int count = std::clamp(std::min(static_cast<int>(width() / kPitch), kMostPieces / model_->rowCount()), 2,
                                 static_cast<int>(GradientRecorder::kMostLooks) * 2);
    for (const GradientCurve& curve : model_->curves())
      columns_.push_back(columns_of(model_->points().steps, curve.y, left_, right_, count));
  }
  Q_EMIT axesChanged();
}

QVariantMap GradientPlot::read(double x, double y) const {
  if (blank()) return {};
  const std::vector<double>& steps = model_->points().steps;
  const double step = left_ + x / width() * (right_ - left_);
  auto found = std::lower_bound(steps.begin(), steps.end(), step);
  if (found == steps.end() || (found != steps.begin() && step - found[-1] < *found - step)) --found;
  const auto look = static_cast<size_t>(found - steps.begin());
  if (const QString& gap = model_->points().gaps[look]; !gap.isEmpty())
    return {{"gap", gap}, {"x", xOf(*found)}, {"y", y}};
  const GradientCurve* nearest = nullptr;
  double off = INFINITY;
  for (const GradientCurve& curve : model_->curves()) {
    const double distance = std::abs(yOf(curve.y[look]) - y);  // NaN: nothing there
    if (!(distance < off)) continue;
    off = distance;
    nearest = &curve;
  }
  if (!nearest) return {};
  const double value = nearest->y[look];
  const QString sampled =
      tr(", of %1 sampled").arg(QLocale(QLocale::English).toString(qlonglong{ValueProbe::kSamples}));
  return {{"node", nearest->node},
          {"title", nearest->title},
          {"step", *found},
          {"value", format_number(value, 3)},
          {"sampled", nearest->sampled ? sampled : QString()},
          {"number", nearest->number},
          {"x", xOf(*found)},
          {"y", yOf(value)}};
}

QSGNode* GradientPlot::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  const auto hues = static_cast<int>(colours_.size());
  QSGNode* root = old;
  if (root && root->childCount() != 3 + hues) {
    delete root;
    root = nullptr;
  }
  if (!root) {
    root = new QSGNode;
    for (int i = 0; i < 3 + hues; ++i) add_quads_node(root);
  }
  // From the back: the band, the grid, curves by hue, and those that are strong; of these each has its own colour.
  Quads band, grid;
  std::vector<Quads> thin(static_cast<size_t>(hues));
  Quads strong;
  QColor strong_colour;
  if (is_usual(model_) && !blank()) band.add(0, yOf(kUsualUpdate * 10), width(), yOf(kUsualUpdate / 10));
  for (const QVariant& tick : ticks_) {
    const double y = std::round(tick.toMap()["y"].toDouble());
    grid.add(0, y, width(), y + 1);
  }
  const auto y = [this](double value) { return yOf(value); };
  const auto stands_out = [this](const GradientCurve& c) { return strong_.isEmpty() ? c.active : c.node == strong_; };
  for (size_t i = 0; hues > 0 && i < columns_.size(); ++i) {
    const GradientCurve& curve = model_->curves()[i];
    const int hue = curve.number % hues;
    const Dash& dash = kDashes[static_cast<size_t>(curve.number / hues) % std::size(kDashes)];
    const double pitch = width() / static_cast<double>(columns_[i].size());
    const bool stands = stands_out(curve), alone = curve.y.size() == 1;
    if (stands) strong_colour = colours_[hue].value<QColor>();
    add_curve(stands ? strong : thin[static_cast<size_t>(hue)], columns_[i], y, dash,
              {alone    ? kDot
               : stands ? kStrong
                        : kThin,
               pitch});
  }
  band.give(root->childAtIndex(0), usualColour_);
  grid.give(root->childAtIndex(1), gridColour_);
  for (int hue = 0; hue < hues; ++hue) {
    QColor colour = colours_[hue].value<QColor>();
    if (!strong.points.empty()) colour.setAlphaF(colour.alphaF() * kBehind);
    thin[static_cast<size_t>(hue)].give(root->childAtIndex(2 + hue), colour);
  }
  strong.give(root->childAtIndex(2 + hues), strong_colour);
  return root;
}

}  // namespace hw::app
