// The instruments and the heat map on the cards and wires of a GraphModel, and the words of a wire.
#include <QElapsedTimer>

#include "app/models/graph/graph_model.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_model.h"
#include "app/models/run/device_model.h"

namespace hw::app {
namespace {

constexpr int kFrameMs = 16;
constexpr qint64 kBudgetNs = 2'000'000;  // of a frame, for gauges

}  // namespace

void GraphModel::setInstruments(InstrumentsModel* instruments) {
  instruments_ = instruments;
  staleGauges_.setInterval(kFrameMs);
  connect(&staleGauges_, &QTimer::timeout, this, &GraphModel::tell_stale_gauges);
  connect(instruments, &InstrumentsModel::readingsChanged, this, &GraphModel::gauges_are_stale);
}

void GraphModel::setHeatMap(HeatMapModel* map) {
  heat_map_ = map;
  for (const auto told : {&HeatMapModel::choiceChanged, &HeatMapModel::heatChanged}) {
    connect(map, told, this, [this] {
      gauges_are_stale();
      Q_EMIT wireLooksChanged();
    });
  }
}

void GraphModel::gauges_are_stale() {
  stale_ = count();
  if (!staleGauges_.isActive()) staleGauges_.start();
}

void GraphModel::tell_stale_gauges() {
  QElapsedTimer timer;
  timer.start();
  while (stale_ > 0 && count() > 0 && timer.nsecsElapsed() < kBudgetNs) {
    --stale_;
    nextGauge_ = (nextGauge_ + 1) % count();
    tell(nextGauge_, {InstrumentsRole, HeatRole});
  }
  if (stale_ <= 0 || count() == 0) staleGauges_.stop();
}

QString GraphModel::wireText(const Link& link) const {
  const auto type = document_.validator().output_type(link.from, link.from_socket);
  QStringList lines{type ? to_q(to_string(*type)) : tr("type not known yet")};
  if (devices_) lines << devices_->wireText(link);
  if (const HeatMapModel* map = heatMap()) lines << map->wordsOf(link);
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n'));
}

const HeatMapModel* GraphModel::heatMap() const {
  return heat_map_ && heat_map_->on() ? heat_map_ : nullptr;
}

}  // namespace hw::app
