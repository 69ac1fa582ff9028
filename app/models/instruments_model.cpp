#include "app/models/instruments_model.h"

#include <algorithm>

#include "app/models/gauge.h"

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

void InstrumentsModel::setHeatMap(bool on) {
  if (on == heatMap_) return;
  heatMap_ = on;
  Q_EMIT heatChanged();
}

QStringList InstrumentsModel::quantities() const {
  QStringList labels;
  for (const InstrumentQuantityInfo& q : instrument_quantities()) labels.append(to_q(q.label));
  return labels;
}

void InstrumentsModel::setQuantity(int index) {
  if (index == quantity_ || index < 0 || index >= static_cast<int>(instrument_quantities().size())) return;
  quantity_ = index;
  Q_EMIT heatChanged();
}

QString InstrumentsModel::meaning() const {
  return to_q(instrument_quantities()[static_cast<size_t>(quantity_)].means);
}

QString InstrumentsModel::low() const {
  return to_q(instrument_quantities()[static_cast<size_t>(quantity_)].low);
}

QString InstrumentsModel::high() const {
  return to_q(instrument_quantities()[static_cast<size_t>(quantity_)].high);
}

QString InstrumentsModel::cost() const {
  if (!readings_) return {};
  return tr("%1 of %2 steps looked at, %3 of the time")
      .arg(readings_->looks)
      .arg(readings_->steps)
      .arg(to_q(percent_text(readings_->cost)));
}

QVariantMap InstrumentsModel::of(const QString& node, const std::vector<CardSocket>& outputs) const {
  const auto found = by_node_.constFind(node);
  const QString unknown = heatMap_ ? QStringLiteral("–") : QString();
  if (found == by_node_.constEnd()) return {{"heat", -1}, {"heatText", unknown}};
  const auto gauge = [this](const InstrumentReading& r) { return Gauge({readings_, &r}); };
  QVariantMap gauges;
  for (const CardSocket& socket : outputs) {
    QVariantMap both;
    for (const InstrumentReading* r : *found)
      if (is_wire(*r, socket.id)) both.insert(r->gradient ? "backward" : "forward", QVariant::fromValue(gauge(*r)));
    if (!both.isEmpty()) gauges.insert(to_q(socket.id), both);
  }
  QVariantList parameters;
  for (const InstrumentReading* r : *found)
    if (r->kind == InstrumentReading::Kind::parameter) add_parameter(parameters, *r, gauge(*r));
  QStringList trouble;
  for (const InstrumentReading* r : *found)
    if (is_troubled(*r)) trouble.append(to_q(r->label() + ": " + troubles(*r).front()));
  QVariantMap map{{"gauges", gauges},
                  {"parameters", parameters},
                  {"trouble", trouble.join(QLatin1Char('\n'))},
                  {"heat", -1},
                  {"heatText", unknown}};
  if (const InstrumentReading* r = heatMap_ ? hottest(node) : nullptr) {
    map["heat"] = *heat(*r, shown(), readings_.get());
    map["heatText"] = to_q(value_text(*r, shown()));
  }
  return map;
}

const InstrumentReading* InstrumentsModel::hottest(const QString& node) const {
  const auto found = by_node_.constFind(node);
  if (found == by_node_.constEnd()) return nullptr;
  const InstrumentReading* worst = nullptr;
  double most = -1;
  for (const InstrumentReading* r : *found) {
    const double h = heat(*r, shown(), readings_.get()).value_or(-1);
    if (h > most) most = h, worst = r;
  }
  return worst;
}

std::optional<double> InstrumentsModel::heatOf(const QString& node) const {
  const InstrumentReading* r = hottest(node);
  return r ? heat(*r, shown(), readings_.get()) : std::nullopt;
}

std::optional<double> InstrumentsModel::heatOf(const Link& link) const {
  const auto found = by_node_.constFind(to_q(link.from));
  if (found == by_node_.constEnd()) return std::nullopt;
  std::optional<double> most;
  for (const InstrumentReading* r : *found) {
    if (!is_wire(*r, link.from_socket)) continue;
    if (const auto h = heat(*r, shown(), readings_.get())) most = std::max(most.value_or(0), *h);
  }
  return most;
}

}  // namespace hw::app
