#include "app/plots/loss_scale_plot.h"

#include <algorithm>
#include <cmath>

#include "app/canvas/quads.h"
#include "app/document/text.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

constexpr double kScaleCurve = 1.5, kMark = 2;  // px wide
constexpr double kReach = 5;                    // px from a mark at which it is meant

}  // namespace

LossScalePlot::LossScalePlot(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &LossScalePlot::coloursChanged, this, &QQuickItem::update);
}

void LossScalePlot::setRun(RunModel* run) {
  if (run == run_) return;
  if (run_) run_->disconnect(this);
  run_ = run;
  if (run_) connect(run_, &RunModel::changed, this, &LossScalePlot::refresh);
  refresh();
  Q_EMIT runChanged();
}

void LossScalePlot::setLastStep(double steps) {
  if (steps == steps_) return;
  steps_ = steps;
  refresh();
  Q_EMIT runChanged();
}

void LossScalePlot::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  refresh();
}

void LossScalePlot::refresh() {
  events_ = run_ ? run_->snapshot().loss_scales : nullptr;
  done_ = run_ ? run_->snapshot().step : 0;
  if (!empty()) {
    low_ = INFINITY, high_ = -INFINITY;
    for (const LossScaleEvent& e : *events_) {
      low_ = std::min(low_, std::floor(std::log2(e.scale)));
      high_ = std::max(high_, std::ceil(std::log2(e.scale)));
    }
    if (high_ - low_ < 2) low_ -= 1, high_ = std::max(high_, low_ + 2);
  }
  update();
  Q_EMIT changed();
}

double LossScalePlot::xOf(uint64_t step) const {
  return steps_ > 0 ? (static_cast<double>(step) + 0.5) / steps_ * width() : 0;
}

double LossScalePlot::yOf(double scale) const {
  return 1 + (height() - 2) * (high_ - std::log2(scale)) / (high_ - low_);
}

QString LossScalePlot::scale() const {
  return empty() ? QString() : format_scale(events_->back().scale);
}

QString LossScalePlot::skipped() const {
  if (empty()) return {};
  const auto count = std::count_if(events_->begin(), events_->end(), [](const auto& e) { return e.skipped; });
  if (count == 0) return {};
  return count == 1 ? tr("1 step left out") : tr("%1 steps left out").arg(count);
}

QVariantList LossScalePlot::ticks() const {
  QVariantList list;
  if (empty()) return list;
  for (const double exponent : {high_, low_}) {
    const double value = std::exp2(exponent);
    list.append(QVariantMap{{"y", yOf(value)}, {"text", format_scale(value)}});
  }
  return list;
}

QVariantMap LossScalePlot::read(double x) const {
  if (empty() || steps_ <= 0 || width() <= 0 || x < 0) return {};
  const LossScaleEvent *mark = nullptr, *at = nullptr;
  const auto step = static_cast<uint64_t>(x / width() * steps_);
  if (step >= done_) return {};
  for (const LossScaleEvent& e : *events_) {
    if (e.step <= step) at = &e;
    const double off = std::abs(xOf(e.step) - x);
    if (e.skipped && off <= kReach && (!mark || off < std::abs(xOf(mark->step) - x))) mark = &e;
  }
  if (mark) {
    const QString node = to_q(mark->param).section(QLatin1Char('.'), 0, 0);
    return {
        {"step", mark->step + 1.0},
        {"x", xOf(mark->step)},
        {"text", tr("step %1 left out: Inf or NaN in the gradient of %2").arg(mark->step + 1).arg(to_q(mark->param))},
        {"tip", tr("%1 Inf or NaN in all gradients of parameters; %2 is the nearest to the loss. The scale is %3 "
                   "after it. Click to go to the node.")
                    .arg(mark->bad)
                    .arg(to_q(mark->param), format_scale(mark->scale))},
        {"node", node}};
  }
  if (!at) return {};
  return {{"step", step + 1.0},
          {"x", x},
          {"text", tr("step %1: scale %2").arg(step + 1).arg(format_scale(at->scale))},
          {"node", QString()}};
}

QSGNode* LossScalePlot::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  QSGNode* root = old;
  if (!root) {
    root = new QSGNode;
    for (int i = 0; i < 3; ++i) add_quads_node(root);
  }
  Quads grid, curve, marks;
  if (!empty() && steps_ > 0) {
    for (const double exponent : {high_, low_}) {
      const double y = std::round(yOf(std::exp2(exponent)));
      grid.add(0, y, width(), y + 1);
    }
    for (size_t i = 0; i < events_->size(); ++i) {
      const LossScaleEvent& e = (*events_)[i];
      const bool last = i + 1 == events_->size();
      const double left = xOf(e.step),
                   right = last ? xOf(std::max<uint64_t>(done_, 1) - 1) : xOf((*events_)[i + 1].step);
      const double y = yOf(e.scale);
      curve.add(left, y - kScaleCurve / 2, std::max(right, left + 1), y + kScaleCurve / 2);
      if (!last) {
        const double next = yOf((*events_)[i + 1].scale);
        curve.add(right - kScaleCurve / 2, std::min(y, next), right + kScaleCurve / 2, std::max(y, next));
      }
      if (e.skipped) marks.add(left - kMark / 2, 0, left + kMark / 2, height());
    }
  }
  grid.give(root->childAtIndex(0), gridColour_);
  marks.give(root->childAtIndex(1), skippedColour_);
  curve.give(root->childAtIndex(2), colour_);
  return root;
}

}  // namespace hw::app
