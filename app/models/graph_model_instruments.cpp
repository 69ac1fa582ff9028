// The instruments on the cards and wires of a GraphModel.
#include "app/models/graph_model.h"
#include "app/models/instruments_model.h"

namespace hw::app {

void GraphModel::setInstruments(InstrumentsModel* instruments) {
  instruments_ = instruments;
  const auto tell_all = [this] {
    if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {InstrumentsRole});
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

const InstrumentsModel* GraphModel::heatMap() const {
  return instruments_ && instruments_->heatMap() ? instruments_ : nullptr;
}

}  // namespace hw::app
