#include "app/models/instruments/heat_map_model.h"

#include <algorithm>

namespace hw::app {

HeatMapModel::HeatMapModel(std::vector<HeatSource*> sources, QObject* parent) : QObject(parent) {
  for (HeatSource* source : sources) {
    for (int k = 0; k < static_cast<int>(source->quantities().size()); ++k) entries_.push_back({source, k});
    connect(source, &HeatSource::changed, this, [this, source] {
      if (source != &this->source()) return;
      Q_EMIT wordsChanged();
      if (on_) Q_EMIT heatChanged();
    });
  }
  connect(this, &HeatMapModel::choiceChanged, this, &HeatMapModel::wordsChanged);
}

void HeatMapModel::setOn(bool on) {
  if (on == on_) return;
  on_ = on;
  if (on && !picked_) {
    const auto known = std::ranges::find_if(entries_, [](const Entry& e) { return e.source->known(); });
    quantity_ = known == entries_.end() ? 0 : static_cast<int>(known - entries_.begin());
  }
  Q_EMIT choiceChanged();
}

QStringList HeatMapModel::quantities() const {
  QStringList labels;
  for (const Entry& e : entries_) labels.append(of(e).label);
  return labels;
}

QStringList HeatMapModel::headings() const {
  QStringList titles;
  for (const Entry& e : entries_) titles.append(e.quantity == 0 ? e.source->title() : QString());
  return titles;
}

void HeatMapModel::setQuantity(int index) {
  if (index < 0 || index >= static_cast<int>(entries_.size())) return;
  picked_ = true;
  if (index == quantity_) return;
  quantity_ = index;
  Q_EMIT choiceChanged();
}

bool HeatMapModel::show(const QString& id) {
  for (size_t k = 0; k < entries_.size(); ++k) {
    if (of(entries_[k]).id != id) continue;
    const bool same = on_ && quantity_ == static_cast<int>(k);
    on_ = picked_ = true;
    quantity_ = static_cast<int>(k);
    if (!same) Q_EMIT choiceChanged();
    return true;
  }
  return false;
}

QVariantMap HeatMapModel::of(const QString& node) const {
  if (!on_) return {};
  const auto heat = heatOf(node);
  if (!heat) return {{"amount", -1}, {"text", QStringLiteral("–")}, {"bad", false}};
  return {{"amount", heat->amount}, {"text", source().figureOf(node, chosen())}, {"bad", heat->bad}};
}

QString HeatMapModel::titled(const QString& words) const {
  if (words.isEmpty()) return {};
  const QString text = now().label + QLatin1Char('\n') + words;
  return stale() ? text + QLatin1Char('\n') + tr("The graph has been edited since.") : text;
}

}  // namespace hw::app
