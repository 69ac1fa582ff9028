#include "app/plots/plot_item.h"

#include <algorithm>
#include <cmath>

#include "app/canvas/curve.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

constexpr double kTickRoom = 32, kTickWidth = 72;  // px that a label needs
constexpr double kOver = 0.03;                     // of a step that lines may stand over the axis
constexpr Dash kInputDashes[] = {{1, 0}, {7, 4}, {2, 4}, {14, 5}};

/// 1, 2 or 5 times a power of ten, so that at most `most` of them fit into `range`.
double round_step(double range, double most) {
  const double least = range / std::max(1.0, most), ten = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * ten >= least * (1 - 1e-9)) return factor * ten;
  return 10 * ten;
}

void widen(double& low, double& high, const std::vector<double>& values) {
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
}

/// Ends that are something apart.
void settle(double& low, double& high) {
  if (low > high) low = 0, high = 1;
  const double least = std::max(std::abs(low), std::abs(high)) * 1e-9;
  if (high - low > least) return;
  const double around = low == 0 ? 1 : std::abs(low) * 0.1;
  low -= around;
  high += around;
}

}  // namespace

PlotItem::PlotItem(QQuickItem* parent) : WatchingItem(parent) {
  connect(this, &PlotItem::coloursChanged, this, &QQuickItem::update);
}

void PlotItem::refresh() {
  columns_.clear();
  ticks_.clear();
  xTicks_.clear();
  update();
  if (model() && !model()->empty() && width() > 0 && height() > 0) {
    double low = INFINITY, high = -INFINITY, left = INFINITY, right = -INFINITY;
    for (const PlotLine& line : *model()->lines()) {
      widen(low, high, line.y);
      widen(left, right, line.x);
    }
    settle(low, high);
    settle(left, right);
    // Whole steps, so that the axis does not creep with every set of weights.
    const double step = round_step(high - low, height() / kTickRoom);
    low_ = std::floor(low / step + kOver) * step;
    high_ = std::ceil(high / step - kOver) * step;
    left_ = left;
    right_ = right;
    for (double v = low_; v < high_ + step / 2; v += step) {
      const double value = std::abs(v) < step / 2 ? 0 : v;
      ticks_.append(QVariantMap{{"at", yOf(value)}, {"text", format_number(value, 3)}});
    }
    const double x_step = round_step(right_ - left_, width() / kTickWidth);
    for (double v = std::ceil(left_ / x_step - 1e-9) * x_step; v <= right_ + x_step * 1e-9; v += x_step) {
      const double value = std::abs(v) < x_step / 2 ? 0 : v;
      const double at = (value - left_) / (right_ - left_) * width();
      xTicks_.append(QVariantMap{{"at", at}, {"text", format_number(value, 3)}});
    }
    for (const PlotLine& line : *model()->lines()) {
      columns_.push_back(columns_of(line.x, line.y, left_, right_, static_cast<int>(width())));
    }
  }
  Q_EMIT axesChanged();
}

QVariantMap PlotItem::read(double at) const {
  if (!model() || model()->empty() || width() <= 0) return {};
  const double x = left_ + at / width() * (right_ - left_);
  QVariantList values;
  double nearest = NAN;
  for (const PlotLine& line : *model()->lines()) {
    if (line.rows > 1 || line.x.empty()) continue;
    auto found = std::lower_bound(line.x.begin(), line.x.end(), x);
    if (found == line.x.end() || (found != line.x.begin() && x - found[-1] < *found - x)) --found;
    const double y = line.y[static_cast<size_t>(found - line.x.begin())];
    nearest = *found;
    values.append(QVariantMap{{"input", static_cast<int>(line.input)}, {"text", format_number(y, 4)}, {"y", yOf(y)}});
  }
  if (values.isEmpty()) return {};
  const double place = (nearest - left_) / (right_ - left_) * width();
  return {{"at", place}, {"x", format_number(nearest, 4)}, {"values", values}};
}

QSGNode* PlotItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  constexpr int inputs = static_cast<int>(std::size(kInputDashes));
  QSGNode* root = old;
  if (!root) {
    root = new QSGNode;
    for (int i = 0; i < 1 + inputs; ++i) add_quads_node(root);
  }
  Quads grid, lines[inputs];
  for (const QVariant& tick : ticks_) {
    const double y = std::round(tick.toMap()["at"].toDouble());
    grid.add(0, y, width(), y + 1);
  }
  for (const QVariant& tick : xTicks_) {
    const double x = std::round(tick.toMap()["at"].toDouble());
    grid.add(x, 0, x + 1, height());
  }
  const auto y = [this](double value) { return yOf(value); };
  for (size_t i = 0; i < columns_.size(); ++i) {
    const size_t input = (*model()->lines())[i].input;
    add_curve(lines[input], columns_[i], y, kInputDashes[input]);
  }
  grid.give(root->childAtIndex(0), gridColour_);
  for (int i = 0; i < inputs; ++i) lines[i].give(root->childAtIndex(1 + i), colours_.value(i).value<QColor>());
  return root;
}

}  // namespace hw::app
