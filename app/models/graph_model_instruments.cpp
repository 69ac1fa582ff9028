// The instruments on the cards and wires of a GraphModel.
#include <QElapsedTimer>

#include "app/models/graph_model.h"
#include "app/models/instruments_model.h"

namespace hw::app {
namespace {

constexpr int kFrameMs = 16;
constexpr qint64 kBudgetNs = 2'000'000;  // of a frame, for gauges

}  // namespace

void GraphModel::setInstruments(InstrumentsModel* instruments) {
  instruments_ = instruments;
  staleGauges_.setInterval(kFrameMs);
  connect(&staleGauges_, &QTimer::timeout, this, &GraphModel::tell_stale_gauges);
  const auto tell_all = [this] {
    stale_ = count();
    if (!staleGauges_.isActive()) staleGauges_.start();
  };
  connect(instruments, &InstrumentsModel::readingsChanged, this, [this, tell_all] {
    tell_all();
    if (heatMap()) Q_EMIT wireLooksChanged();
  });
  connect(instruments, &InstrumentsModel::heatChanged, this, [this, tell_all] {
    tell_all();
    Q_EMIT wireLooksChanged();
  });
}

void GraphModel::tell_stale_gauges() {
  QElapsedTimer timer;
  timer.start();
  while (stale_ > 0 && count() > 0 && timer.nsecsElapsed() < kBudgetNs) {
    --stale_;
    nextGauge_ = (nextGauge_ + 1) % count();
    tell(nextGauge_, {InstrumentsRole});
  }
  if (stale_ <= 0 || count() == 0) staleGauges_.stop();
}

const InstrumentsModel* GraphModel::heatMap() const {
  return instruments_ && instruments_->heatMap() ? instruments_ : nullptr;
}

}  // namespace hw::app
