#include "app/models/instruments/instruments_heat.h"

#include <algorithm>

#include "app/document/text.h"
#include "engine/instrument/instrument_report.h"

namespace hw::app {
namespace {

InstrumentQuantity kind(int quantity) {
  return instrument_quantities()[static_cast<size_t>(quantity)].quantity;
}

bool is_bad(const InstrumentReading& r) {
  return r.total_infs + r.total_nans > 0;
}

/// " (of 4,096 sampled)" where the quantity is an estimate of a larger value, else "".
std::string estimate_text(const InstrumentReading& reading, InstrumentQuantity quantity) {
  const bool is_norm = quantity == InstrumentQuantity::gradient_norm || quantity == InstrumentQuantity::update;
  return is_norm ? sampled_text(reading) : "";
}

}  // namespace

InstrumentsHeat::InstrumentsHeat(const InstrumentsModel& instruments, QObject* parent)
    : HeatSource(parent), instruments_(instruments) {
  for (const InstrumentQuantityInfo& q : instrument_quantities())
    quantities_.push_back({to_q(q.id), to_q(q.label), to_q(q.means), to_q(q.low), to_q(q.high)});
  connect(&instruments, &InstrumentsModel::readingsChanged, this, [this] {
    const InstrumentReadings* all = instruments_.readings();
    marks_ = all && std::any_of(all->readings.begin(), all->readings.end(), is_bad);
    Q_EMIT changed();
  });
}

InstrumentsHeat::Hottest InstrumentsHeat::hottest(const QString& node, const std::string* socket, int quantity) const {
  Hottest worst;
  for (const InstrumentReading* r : instruments_.readingsOf(node)) {
    if (socket && !(r->kind == InstrumentReading::Kind::wire && r->name == *socket)) continue;
    const auto amount = heat(*r, kind(quantity), instruments_.readings());
    if (!amount) continue;
    if (!worst.reading || *amount > worst.heat.amount) worst.reading = r, worst.heat.amount = *amount;
    worst.heat.bad |= is_bad(*r);
  }
  return worst;
}

std::optional<Heat> InstrumentsHeat::heatOf(const QString& node, int quantity) const {
  const Hottest h = hottest(node, nullptr, quantity);
  return h.reading ? std::optional(h.heat) : std::nullopt;
}

std::optional<Heat> InstrumentsHeat::heatOf(const Link& link, int quantity) const {
  const Hottest h = hottest(to_q(link.from), &link.from_socket, quantity);
  return h.reading ? std::optional(h.heat) : std::nullopt;
}

QString InstrumentsHeat::figureOf(const QString& node, int quantity) const {
  const Hottest h = hottest(node, nullptr, quantity);
  if (!h.reading) return {};
  const QString figure = to_q(value_text(*h.reading, kind(quantity)));
  return figure.isEmpty() || estimate_text(*h.reading, kind(quantity)).empty() ? figure : QStringLiteral("≈ ") + figure;
}

QString InstrumentsHeat::words(const Hottest& h, int quantity) const {
  if (!h.reading) return {};
  return QStringLiteral("%1, %2: %3")
      .arg(to_q(h.reading->label()), to_q(name(h.reading->dtype)),
           to_q(value_text(*h.reading, kind(quantity)) + estimate_text(*h.reading, kind(quantity))));
}

QString InstrumentsHeat::wordsOf(const QString& node, int quantity) const {
  return words(hottest(node, nullptr, quantity), quantity);
}

QString InstrumentsHeat::wordsOf(const Link& link, int quantity) const {
  return words(hottest(to_q(link.from), &link.from_socket, quantity), quantity);
}

QString InstrumentsHeat::note(int) const {
  return instruments_.known() ? instruments_.cost() + QLatin1Char('.')
                              : tr("Run the graph: its values are looked at as it trains, and colour nodes and wires.");
}

}  // namespace hw::app
