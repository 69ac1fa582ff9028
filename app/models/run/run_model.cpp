#include "app/models/run/run_model.h"

#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "engine/devices/devices.h"
#include "engine/graph/lower/stand_in_loss.h"

namespace hw::app {

RunModel::RunModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent),
      document_(document),
      needs_(document, assets, to_q(default_device_id())),
      lacking_(document, [this] { return loaded() && !loadedStates() ? control_.origin().weights : nullptr; }),
      control_(document, std::move(assets), to_q(default_device_id())) {
  connect(&needs_, &MemoryNeeds::changed, this, &RunModel::needsChanged);
  connect(&lacking_, &LackingWeights::changed, this, &RunModel::stateChanged);
  connect(&document_, &Document::structureChanged, this, &RunModel::lookForTrainer);
  connect(&document_, &Document::reset, this, &RunModel::lookForTrainer);
  lookForTrainer();
  followControl();
}

void RunModel::followControl() {
  connect(&control_, &RunControl::taken, this, [this] { stepRate_.take(snapshot()); });
  connect(&control_, &RunControl::weightsChanged, this, &RunModel::weightsChanged);
  connect(&control_, &RunControl::stateChanged, this, &RunModel::stateChanged);
  connect(&control_, &RunControl::changed, this, &RunModel::changed);
  // Events of their own: the table, the histogram and the picture of a tensor cost some milliseconds.
  connect(&control_, &RunControl::inspectionChanged, this, &RunModel::inspectionChanged, Qt::QueuedConnection);
  connect(&control_, &RunControl::ratesDue, this, &RunModel::ratesChanged, Qt::QueuedConnection);
  connect(&control_, &RunControl::ratesDue, this, &RunModel::takeNodeMs, Qt::QueuedConnection);
  connect(&control_, &RunControl::originChanged, &lacking_, &LackingWeights::renew);
  connect(&control_, &RunControl::checkpointSaved, this, &RunModel::checkpointSaved);
  connect(&control_, &RunControl::errorChanged, this, &RunModel::reportError);
}

void RunModel::reportError(const Error& error) {
  Q_EMIT errorChanged(error);
  Q_EMIT failed(to_q(error.code), reason_text(error), without_commands(to_q(error.remedy)));
}

void RunModel::lookForTrainer() {
  const bool trains = has_trainer(document_.flat());
  if (std::exchange(trains_, trains) != trains) Q_EMIT trainsChanged();
}

void RunModel::setHaltOnBadValue(bool on) {
  if (control_.setHalts(on)) Q_EMIT haltOnBadValueChanged();
}

void RunModel::reloadFiles() {
  control_.reloadFiles();
  needs_.renew();
}

void RunModel::takeNodeMs() {
  QVariantMap ms;
  for (const auto& [node, value] : snapshot().node_ms) ms.insert(to_q(node), value);
  if (ms == nodeMs_) return;
  nodeMs_ = std::move(ms);
  Q_EMIT nodeMsChanged();
}

QString RunModel::state() const {
  return to_q(name(control_.state()));
}

QString RunModel::stateText() const {
  if (!control_.ending().isEmpty()) return control_.ending();
  const RunState shown = control_.state();
  if (shown != RunState::idle || !loaded()) return state_text(shown, started());
  const auto& states = control_.origin().states;
  return states ? with_states_text(states->step, document_.weights()->modified()) : with_weights_text(lacking_.count());
}

double RunModel::progress() const {
  return steps() > 0 ? static_cast<double>(step()) / static_cast<double>(steps()) : 0;
}

QStringList RunModel::notes() const {
  QStringList list;
  for (const std::string& note : snapshot().notes) list.append(to_q(note));
  return list;
}

QStringList RunModel::devices() const {
  QStringList list;
  for (const std::string& id : device_ids()) list.append(to_q(id));
  return list;
}

void RunModel::setDevice(const QString& device) {
  if (device == control_.device() || !has_device(to_std(device))) return;
  control_.setDevice(device);
  needs_.setDevice(device);
  Q_EMIT deviceChanged();
}

}  // namespace hw::app
