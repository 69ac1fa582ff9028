#include "app/models/instruments/instruments_model.h"

#include <algorithm>

#include "app/models/cards/gauge.h"

namespace hw::app {
namespace {

constexpr int kMostParameters = 7;  // as many as stand under a card

/// Value and gradient of one parameter together.
void add_parameter(QVariantList& parameters, const InstrumentReading& r, const Gauge& gauge) {
  const char* const direction = r.gradient ? "backward" : "forward";
  for (QVariant& known : parameters) {
    QVariantMap map = known.toMap();
    if (map["name"] != to_q(r.name)) continue;
    map.insert(direction, QVariant::fromValue(gauge));
    known = map;
    return;
  }
  if (parameters.size() < kMostParameters)
    parameters.append(QVariantMap{{"name", to_q(r.name)}, {direction, QVariant::fromValue(gauge)}});
}

bool is_wire(const InstrumentReading& r, std::string_view socket) {
  return r.kind == InstrumentReading::Kind::wire && r.name == socket;
}

}  // namespace

InstrumentsModel::InstrumentsModel(RunModel& run, QObject* parent) : QObject(parent), run_(run) {
  connect(&run, &RunModel::changed, this, &InstrumentsModel::take);
}

void InstrumentsModel::take() {
  if (run_.snapshot().instruments == readings_) return;
  readings_ = run_.snapshot().instruments;
  by_node_.clear();
  if (readings_) {
    for (const InstrumentReading& r : readings_->readings) by_node_[to_q(r.node)].push_back(&r);
  }
  Q_EMIT readingsChanged();
}

QString InstrumentsModel::cost() const {
  if (!readings_) return {};
  uint64_t last = 0;  // readings stay as they are until the next look
  for (const InstrumentReading& r : readings_->readings) last = std::max(last, r.step + 1);
  const QString looked =
      tr("%1 of %2 steps looked at by step %3; ").arg(readings_->looks).arg(readings_->steps).arg(last);
  if (!readings_->is_cost_measured()) return looked + tr("too few steps to tell what looking took");
  return looked + tr("looking took %1 of the processor time").arg(to_q(percent_text(readings_->cost)));
}

QVariantMap InstrumentsModel::of(const QString& node, const std::vector<CardSocket>& outputs) const {
  const std::vector<const InstrumentReading*>& all = readingsOf(node);
  if (all.empty()) return {};
  const auto gauge = [this](const InstrumentReading& r) { return Gauge({readings_, &r}); };
  QVariantMap gauges;
  for (const CardSocket& socket : outputs) {
    QVariantMap both;
    for (const InstrumentReading* r : all)
      if (is_wire(*r, socket.id)) both.insert(r->gradient ? "backward" : "forward", QVariant::fromValue(gauge(*r)));
    if (!both.isEmpty()) gauges.insert(to_q(socket.id), both);
  }
  QVariantList parameters;
  for (const InstrumentReading* r : all)
    if (r->kind == InstrumentReading::Kind::parameter) add_parameter(parameters, *r, gauge(*r));
  QStringList trouble;
  for (const InstrumentReading* r : all)
    if (is_troubled(*r)) trouble.append(to_q(r->label() + ": " + troubles(*r).front()));
  return {{"gauges", gauges}, {"parameters", parameters}, {"trouble", trouble.join(QLatin1Char('\n'))}};
}

const std::vector<const InstrumentReading*>& InstrumentsModel::readingsOf(const QString& node) const {
  static const std::vector<const InstrumentReading*> none;
  const auto found = by_node_.constFind(node);
  return found == by_node_.constEnd() ? none : *found;
}

}  // namespace hw::app
