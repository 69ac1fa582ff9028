#include "app/plots/loss_plot.h"

#include <algorithm>
#include <cmath>

#include "app/canvas/curve.h"
#include "app/models/text/format.h"
#include "app/models/views/log_ticks.h"

namespace hw::app {
namespace {

constexpr double kSmallest = 1e-12;  // losses of 0 have no logarithm

double log_of(double loss) {
  return std::log10(std::max(loss, kSmallest));
}

}  // namespace

LossPlot::LossPlot(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &LossPlot::coloursChanged, this, &QQuickItem::update);
}

void LossPlot::setRun(RunModel* run) {
  if (run == run_) return;
  if (run_) run_->disconnect(this);
  run_ = run;
  if (run_) connect(run_, &RunModel::changed, this, &LossPlot::refresh);
  refresh();
  Q_EMIT runChanged();
}

void LossPlot::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  refresh();
}

void LossPlot::refresh() {
  const int columns = static_cast<int>(width());
  now_.clear();
  past_.clear();
  validation_.clear();
  steps_ = 0;
  if (!run_ || columns <= 0 || height() <= 0) return;
  const PastLosses::Losses losses = run_->snapshot().losses;
  if (losses) steps_ = static_cast<double>(losses->size());
  for (const PastLosses::Losses& p : run_->pastLosses()) steps_ = std::max(steps_, static_cast<double>(p->size()));
  if (losses) now_ = columns_of(*losses, steps_, columns);
  for (const PastLosses::Losses& p : run_->pastLosses()) past_.push_back(columns_of(*p, steps_, columns));

  if (const auto all = run_->snapshot().measurements)
    for (const RunHistory::Metrics& m : *all)
      if (m.split == Split::validation && m.loss && std::isfinite(*m.loss))
        validation_.push_back({static_cast<double>(m.step), *m.loss});

  double low = INFINITY, high = -INFINITY;
  const auto widen = [&](const std::vector<PlotColumn>& series) {
    for (const PlotColumn& c : series) {
      if (c.any) low = std::min(low, log_of(c.low)), high = std::max(high, log_of(c.high));
    }
  };
  widen(now_);
  for (const auto& p : past_) widen(p);
  for (const Measured& m : validation_) low = std::min(low, log_of(m.loss)), high = std::max(high, log_of(m.loss));
  if (low > high) low = -1, high = 0;
  // Half decades, so that the axis does not creep with every snapshot.
  low = std::floor(low * 2) / 2;
  high = std::max(std::ceil(high * 2) / 2, low + 0.5);
  const bool moved = low != low_ || high != high_ || height() != ticksHeight_;
  low_ = low;
  high_ = high;
  ticksHeight_ = height();
  update();
  if (moved) Q_EMIT ticksChanged();
  Q_EMIT axesChanged();
}

double LossPlot::yOf(double loss) const {
  return height() * (high_ - log_of(loss)) / (high_ - low_);
}

QVariantList LossPlot::ticks() const {
  QVariantList list;
  for (const double value : log_ticks(low_, high_, height(), kLogTickHeight, kMostLogTicks))
    list.append(QVariantMap{{"y", yOf(value)}, {"text", format_number(value, 2)}});
  return list;
}

QVariantMap LossPlot::read(double x) const {
  if (!run_ || now_.empty()) return {};
  auto at = static_cast<qsizetype>(std::clamp(x, 0.0, static_cast<double>(now_.size() - 1)));
  while (at > 0 && !now_[static_cast<size_t>(at)].any) --at;
  const PlotColumn& column = now_[static_cast<size_t>(at)];
  if (!column.any) return {};
  const double step = std::floor((static_cast<double>(at) + 1) * steps_ / static_cast<double>(now_.size()));
  QString validation;
  for (const Measured& m : validation_)
    if (m.step <= std::max(1.0, step)) validation = format_number(m.loss, 4);
  return {{"step", std::max(1.0, step)},
          {"loss", format_number(column.last, 4)},
          {"y", yOf(column.last)},
          {"validation", validation}};
}

QSGNode* LossPlot::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  QSGNode* root = old;
  if (!root) {
    root = new QSGNode;
    for (int i = 0; i < 4; ++i) add_quads_node(root);
  }
  Quads grid;
  for (const QVariant& tick : ticks()) {
    const double y = std::round(tick.toMap()["y"].toDouble());
    grid.add(0, y, width(), y + 1);
  }
  grid.give(root->childAtIndex(0), gridColour_);

  const auto y = [this](double loss) { return yOf(loss); };
  Quads past, now;
  for (const auto& series : past_) add_curve(past, series, y);
  add_curve(now, now_, y);
  past.give(root->childAtIndex(1), pastColour_);
  now.give(root->childAtIndex(2), colour_);
  Quads validation;
  const auto place = [&](const Measured& m) { return QPointF(m.step / steps_ * width(), yOf(m.loss)); };
  for (size_t i = 0; i < validation_.size(); ++i) {
    const QPointF at = place(validation_[i]);
    validation.add(at.x() - 2, at.y() - 2, at.x() + 2, at.y() + 2);
    if (i == 0) continue;
    const QPointF before = place(validation_[i - 1]);
    validation.line(before.x(), before.y(), at.x(), at.y(), kCurve);
  }
  validation.give(root->childAtIndex(3), validationColour_);
  return root;
}

}  // namespace hw::app
