#include "app/models/checks/moment_states.h"

#include <QCoreApplication>

#include "engine/plan/train_settings.h"
#include "engine/plan/training_plan.h"

namespace hw::app {

MomentStates moment_states(const Document& document, const std::shared_ptr<const Checkpoint>& trained) {
  const auto tr = [](const char* text, int n = -1) {
    return QCoreApplication::translate("XrayModel", text, nullptr, n);
  };
  MomentStates now;
  now.words = tr("initial weights");
  const auto trainer = find_trainer(document.flat());
  if (trained && trainer && same_structure(trained->graph, document.flat())) {
    now.states = trained->states;
    now.updates = trained->step;
    now.batches = trained->step * static_cast<uint64_t>(train_settings(*document.flat().find(*trainer)).accumulate);
    now.words = tr("after %n steps", static_cast<int>(trained->step));
  } else if (trained) {
    now.words = tr("initial weights, as the graph was edited after its training");
  } else if (document.weights()->tensors()) {
    now.weights = document.weights()->tensors();
    now.words = tr("loaded weights");
  }
  return now;
}

}  // namespace hw::app
