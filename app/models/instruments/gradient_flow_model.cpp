#include "app/models/instruments/gradient_flow_model.h"

#include <algorithm>
#include <cmath>

#include "app/document/node_title.h"
#include "app/document/text.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

double value_of(const GradientSize& size, bool updates) {
  return updates ? size.update : size.norm;
}

QString value_text(double value) {
  if (std::isnan(value)) return QStringLiteral("–");
  return std::isinf(value) ? GradientFlowModel::tr("Inf or NaN") : format_number(value, 2);
}

/// Nodes with weights first, so that the colours of updates are the first ones.
std::vector<int> numbers_of(const GradientSubjects& subjects) {
  const size_t count = subjects.nodes.size();
  std::vector<bool> weights(count, false);
  for (const GradientSeries& s : subjects.series) {
    if (s.kind != GradientSeries::Kind::parameter) continue;
    const auto at = std::find(subjects.nodes.begin(), subjects.nodes.end(), s.node);
    weights[static_cast<size_t>(at - subjects.nodes.begin())] = true;
  }
  std::vector<int> numbers(count);
  int next = 0;
  for (const bool first : {true, false})
    for (size_t n = 0; n < count; ++n)
      if (weights[n] == first) numbers[n] = next++;
  return numbers;
}

bool is_sampled(const GradientSubjects& subjects, const std::string& node, bool updates) {
  const auto kind = updates ? GradientSeries::Kind::parameter : GradientSeries::Kind::wire;
  return std::any_of(subjects.series.begin(), subjects.series.end(), [&](const GradientSeries& s) {
    return s.node == node && s.kind == kind && s.elements > ValueProbe::kSamples;
  });
}

}  // namespace

GradientPoints points_of(const GradientHistory& history) {
  GradientPoints points;
  for (const auto& look : history.looks) {
    const double step = static_cast<double>(look->step) + 1;
    if (!points.steps.empty() && !look->gap.empty()) {
      const double before = points.steps.back();
      points.gaps.push_back(GradientFlowModel::tr("Not looked at between steps %1 and %2: %3.")
                                .arg(QString::number(before, 'f', 0), QString::number(step, 'f', 0), to_q(look->gap)));
      points.steps.push_back((before + step) / 2);
    }
    points.gaps.emplace_back();
    points.steps.push_back(step);
  }
  return points;
}

GradientFlowModel::GradientFlowModel(Document& document, RunModel& run, QObject* parent)
    : QAbstractListModel(parent), document_(document), run_(run) {
  connect(&run, &RunModel::changed, this, &GradientFlowModel::take);
  connect(&document, &Document::selectionChanged, this, &GradientFlowModel::update_active);
}

int GradientFlowModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(curves_.size());
}

QVariant GradientFlowModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const GradientCurve& curve = curves_[static_cast<size_t>(index.row())];
  switch (role) {
    case NodeRole:
      return curve.node;
    case TitleRole:
      return curve.title;
    case LatestRole:
      return curve.latest;
    case NumberRole:
      return curve.number;
    case ActiveRole:
      return curve.active;
  }
  return {};
}

QHash<int, QByteArray> GradientFlowModel::roleNames() const {
  return {
      {NodeRole, "node"}, {TitleRole, "title"}, {LatestRole, "latest"}, {NumberRole, "number"}, {ActiveRole, "active"}};
}

void GradientFlowModel::setWatching(bool on) {
  if (on == watching_) return;
  watching_ = on;
  if (on) build();
  Q_EMIT watchingChanged();
}

void GradientFlowModel::setUpdates(bool on) {
  if (on == updates_) return;
  updates_ = on;
  if (watching_) build();
  Q_EMIT watchingChanged();
}

QString GradientFlowModel::left() const {
  return nodes_ > curves_.size() ? tr("%1 of %2 nodes").arg(curves_.size()).arg(nodes_) : QString();
}

void GradientFlowModel::reveal(const QString& node) {
  document_.reveal(node);
}

void GradientFlowModel::take() {
  if (run_.snapshot().instruments == readings_) return;
  readings_ = run_.snapshot().instruments;
  QStringList verdicts, nodes;
  if (readings_) {
    for (const GradientVerdict& v : readings_->verdicts) {
      verdicts.append(
          to_q(to_text(v, [this](const std::string& node) { return to_std(node_title(document_.flat(), node)); })));
      nodes.append(to_q(v.node));
    }
  }
  if (verdicts != verdicts_ || nodes != verdictNodes_) {
    verdicts_ = std::move(verdicts);
    verdictNodes_ = std::move(nodes);
    Q_EMIT verdictsChanged();
  }
  if (watching_) build();
}

/// Nodes whose quantity was known at some look; evenly chosen where there are too many.
std::vector<size_t> GradientFlowModel::shown(const GradientHistory& history) {
  std::vector<size_t> all;
  for (size_t n = 0; n < history.subjects->nodes.size(); ++n) {
    if (std::any_of(history.looks.rbegin(), history.looks.rend(),
                    [&](const auto& look) { return !std::isnan(value_of(look->nodes[n], updates_)); }))
      all.push_back(n);
  }
  nodes_ = all.size();
  if (nodes_ <= kMostCurves) return all;
  std::vector<size_t> some;
  for (size_t k = 0; k < kMostCurves; ++k) some.push_back(all[k * (nodes_ - 1) / (kMostCurves - 1)]);
  return some;
}

void GradientFlowModel::build() {
  std::vector<GradientCurve> curves;
  points_ = {};
  nodes_ = 0;
  if (readings_ && !readings_->gradients->looks.empty()) {
    const GradientHistory& history = *readings_->gradients;
    points_ = points_of(history);
    const std::vector<int> numbers = numbers_of(*history.subjects);
    for (const size_t n : shown(history)) {
      const std::string& node = history.subjects->nodes[n];
      GradientCurve curve;
      curve.node = to_q(node);
      curve.title = node_title(document_.flat(), node);
      curve.latest = value_text(value_of(history.looks.back()->nodes[n], updates_));
      curve.number = numbers[n];
      curve.active = curve.node == document_.activePath();
      curve.sampled = is_sampled(*history.subjects, node, updates_);
      for (const auto& look : history.looks) {
        if (!points_.gaps[curve.y.size()].isEmpty()) curve.y.push_back(GradientSize::kUnknown);
        const double y = value_of(look->nodes[n], updates_);
        curve.y.push_back(std::isfinite(y) && y > 0 ? y : GradientSize::kUnknown);
      }
      curves.push_back(std::move(curve));
    }
  }
  const auto same = [](const GradientCurve& a, const GradientCurve& b) {
    return a.node == b.node && a.title == b.title && a.number == b.number;
  };
  if (std::equal(curves.begin(), curves.end(), curves_.begin(), curves_.end(), same)) {
    curves_ = std::move(curves);
    if (!curves_.empty()) Q_EMIT dataChanged(index(0), index(rowCount() - 1), {LatestRole, ActiveRole});
  } else {
    beginResetModel();
    curves_ = std::move(curves);
    endResetModel();
  }
  Q_EMIT curvesChanged();
}

void GradientFlowModel::update_active() {
  if (!watching_ || curves_.empty()) return;
  bool changed = false;
  for (GradientCurve& curve : curves_) {
    const bool active = curve.node == document_.activePath();
    changed = changed || active != curve.active;
    curve.active = active;
  }
  if (!changed) return;
  Q_EMIT dataChanged(index(0), index(rowCount() - 1), {ActiveRole});
  Q_EMIT curvesChanged();
}

}  // namespace hw::app
