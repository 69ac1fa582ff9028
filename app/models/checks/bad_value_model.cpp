#include "app/models/checks/bad_value_model.h"

#include <QLocale>
#include <QPointer>
#include <algorithm>
#include <cmath>

#include "app/document/text.h"
#include "app/models/checks/moment_states.h"
#include "app/models/run/run_model.h"
#include "app/models/text/format.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/core/place_text.h"
#include "engine/train/find_bad_value.h"

namespace hw::app {
namespace {

constexpr double kNearLimit = 24;  // binades from the numbers to the dtype's largest, for it to be on the axis

QString shape_text(DType dtype, const Dims& dims) {
  return to_q(name(dtype)) + QLatin1Char(' ') + to_q(to_string(dims));
}

QString range_text(double smallest, double largest) {
  if (largest == 0) return QObject::tr("all 0");
  return smallest == largest ? format_number(largest, 3)
                             : QStringLiteral("%1 … %2").arg(format_number(smallest, 3), format_number(largest, 3));
}

}  // namespace

BadValueModel::BadValueModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)), worker_(document) {
  const auto forget = [this] {
    seen_.reset();
    looked_at_.clear();
    look();
  };
  connect(&worker_, &CheckWorker::staleChanged, this, [this, forget] {
    if (worker_.stale()) forget();
  });
  connect(&worker_, &CheckWorker::replaced, this, forget);
  connect(&worker_, &CheckWorker::runningChanged, this, &BadValueModel::changed);
  connect(&run, &RunModel::stateChanged, this, &BadValueModel::look);
  connect(&run, &RunModel::checkpointSaved, this, &BadValueModel::changed);
  connect(&document, &Document::nodesChanged, this, &BadValueModel::changed);  // names are shown
}

void BadValueModel::look() {
  show(run_.snapshot().bad_value ? run_.snapshot().bad_value : seen_);
}

void BadValueModel::lookNow() {
  if (!worker_.begin()) return;
  seen_.reset();
  looked_at_.clear();
  look();
  run_.takeStates([self = QPointer<BadValueModel>(this)](const auto& trained) {
    if (self) self->begin(trained);
  });
}

void BadValueModel::begin(const std::shared_ptr<const Checkpoint>& trained) {
  MomentStates now = moment_states(document_, trained);
  BadValueSearch search;
  search.device = to_std(run_.device());
  search.first = now.updates;
  search.weights = std::move(now.weights);
  search.states = std::move(now.states);
  search.given = values_of(*run_.evaluation()->given());
  worker_.run(
      [this, search, weights = now.words, assets = assets_](const std::shared_ptr<const Graph>& graph, const auto&,
                                                            const std::atomic<bool>& cancel) -> CheckWorker::Finish {
        BadValueSearch asked = search;
        asked.cancel = &cancel;
        const auto found = guarded([&] { return find_bad_value(with_inputs(*graph, asked.given), *assets, asked); });
        return [this, found, weights, graph, given = !asked.given.empty()] {
          if (!found) {
            looked_at_ = to_q(found.error().reason + " " + found.error().remedy);
          } else if (found->bad) {
            seen_ = std::make_shared<const BadValue>(*found->bad);
          } else {
            looked_at_ = given ? tr("No value of one step is Inf or NaN: %1, of what Inputs are given.").arg(weights)
                               : tr("No value of one step is Inf or NaN: %1.").arg(weights);
          }
          worker_.setChecked(graph);
          look();
        };
      });
}

void BadValueModel::show(const std::shared_ptr<const BadValue>& now) {
  const bool is_new = now && now != bad_;
  bad_ = now;
  if (is_new) {
    low_ = INFINITY;
    high_ = -INFINITY;
    for (const BadValue::Range& r : bad_->history) {
      if (r.largest <= 0) continue;
      low_ = std::min(low_, std::log2(r.smallest));
      high_ = std::max(high_, std::log2(r.largest));
    }
    if (low_ > high_) low_ = 0, high_ = 1;
    const double most = std::log2(info(bad_->dtype).max);
    if (most - high_ < kNearLimit) high_ = std::max(high_, most);
    low_ = std::floor(low_) - 1;
    high_ = std::ceil(high_) + 1;
  }
  Q_EMIT changed();
  if (is_new) Q_EMIT found();
}

void BadValueModel::reveal() {
  if (!bad_ || !document_.flat().find(bad_->node)) return;
  document_.reveal(to_q(bad_->node));
}

void BadValueModel::search() {
  run_.findBadValue();
}

void BadValueModel::show() {
  if (bad_) return reveal();
  if (searchable()) search();
}

bool BadValueModel::searchable() const {
  const RunSnapshot& s = run_.snapshot();
  return s.state == RunState::failed && s.error && s.error->code == codes::not_finite && !bad_;
}

bool BadValueModel::searching() const {
  return run_.searching();
}

QString BadValueModel::from() const {
  return run_.savedStep() > 0 ? tr("from the checkpoint saved after step %1").arg(run_.savedStep())
                              : tr("from where it began");
}

QString BadValueModel::headline() const {
  if (!bad_) return {};
  const Node* node = document_.flat().find(bad_->node);
  const QString name = node ? to_q(display_name(*node)) : to_q(bad_->node);
  const QString number = format_number(bad_->element), step = QString::number(bad_->step + 1);
  if (!bad_->pass) return tr("%1 held %2 before step %3 began").arg(name, number, step);
  switch (*bad_->pass) {
    case Pass::forward:
      return tr("%1 made %2 in the forward pass of step %3").arg(name, number, step);
    case Pass::backward:
      return tr("%1 made %2 in the backward pass of step %3").arg(name, number, step);
    case Pass::update:
      return tr("The update of %1 made %2 in step %3").arg(name, number, step);
  }
  return {};
}

QString BadValueModel::value() const {
  if (!bad_) return {};
  const QString what = bad_->value.empty() ? tr("a value inside the node") : to_q(bad_->value);
  const QString text = tr("%1, %2").arg(what, shape_text(bad_->dtype, bad_->dims));
  return bad_->op.empty() ? text : tr("%1, by %2").arg(text, to_q(bad_->op));
}

QString BadValueModel::element() const {
  if (!bad_) return {};
  const QLocale locale = QLocale::c();
  return tr("Element %1 is %2; of all %3 elements %4 are Inf and %5 NaN")
      .arg(to_q(place_text(bad_->index, bad_->dims)), format_number(bad_->element),
           locale.toString(static_cast<qlonglong>(element_count(bad_->dims))),
           locale.toString(static_cast<qlonglong>(bad_->infs)), locale.toString(static_cast<qlonglong>(bad_->nans)));
}

QString BadValueModel::replay() const {
  if (!bad_ || !bad_->pass) return {};
  return bad_->replayed
             ? tr("Run again from the states before it, the step gave the same. The weights are those from before it.")
             : tr("Run again from the states before it, the step did not give the same.");
}

QVariantList BadValueModel::inputs() const {
  QVariantList list;
  if (!bad_) return list;
  for (const BadValue::Input& in : bad_->inputs) {
    QStringList numbers;
    for (const auto& [index, value] : in.elements)
      numbers += in.count == 1
                     ? format_number(value, 7)
                     : QStringLiteral("%1: %2").arg(to_q(place_text(index, in.dims)), format_number(value, 4));
    QString more;
    if (in.whole) {
      more = tr("all %1 elements: %2").arg(in.count).arg(range_text(in.smallest, in.largest));
    } else if (in.count > static_cast<int64_t>(in.elements.size())) {
      more = tr("the largest of %1 that it sums").arg(in.count);
    }
    list.append(QVariantMap{{"name", to_q(in.name)},
                            {"type", shape_text(in.dtype, in.dims)},
                            {"text", numbers.join(QStringLiteral("   "))},
                            {"more", more}});
  }
  return list;
}

double BadValueModel::placeOf(double magnitude) const {
  return std::clamp((std::log2(magnitude) - low_) / (high_ - low_), 0.0, 1.0);
}

QVariantList BadValueModel::history() const {
  QVariantList list;
  if (!bad_) return list;
  for (const BadValue::Range& r : bad_->history)
    list.append(QVariantMap{{"step", QString::number(r.step + 1)},
                            {"from", r.largest > 0 ? placeOf(r.smallest) : 0.0},
                            {"to", r.largest > 0 ? placeOf(r.largest) : 0.0},
                            {"text", range_text(r.smallest, r.largest)},
                            {"last", r.step == bad_->step}});
  return list;
}

double BadValueModel::limit() const {
  return bad_ ? (std::log2(info(bad_->dtype).max) - low_) / (high_ - low_) : 2;
}

QString BadValueModel::limitText() const {
  return bad_ ? tr("%1 holds up to %2").arg(to_q(name(bad_->dtype)), format_number(info(bad_->dtype).max, 5))
              : QString();
}

}  // namespace hw::app
