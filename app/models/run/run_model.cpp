#include "app/models/run/run_model.h"

#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "app/models/run/may_run.h"
#include "app/models/run/same_run.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/graph/lower/stand_in_loss.h"

namespace hw::app {
namespace {

constexpr int kStructureMs = 60;

auto rarely_differs(const RunSnapshot& s) {
  return std::make_tuple(s.state, s.step > 0, s.steps, s.memory_bytes, s.measured, std::cref(s.notes));
}

}  // namespace

RunModel::RunModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent),
      document_(document),
      device_(to_q(default_device_id())),
      needs_(document, assets, device_),
      lacking_(document, [this] { return loaded() && !loadedStates() ? files_.origin().weights : nullptr; }),
      watch_([this](std::shared_ptr<TrainingWatch> watch) { session_->watch(std::move(watch)); }),
      pace_([this] { return session_->snapshot()->state != snapshot_->state; }) {
  session_ = std::make_unique<Session>(std::move(assets), [this] { pace_.note(); });
  session_->publish_weights_while_running(false);
  session_->instruments(InstrumentSettings{});
  connect(&pace_, &SnapshotPace::due, this, &RunModel::take);
  connect(&needs_, &MemoryNeeds::changed, this, &RunModel::needsChanged);
  connect(&lacking_, &LackingWeights::changed, this, &RunModel::stateChanged);
  followDocument();
  followWeights();
}

void RunModel::followDocument() {
  structure_.setSingleShot(true);
  structure_.setInterval(kStructureMs);
  connect(&structure_, &QTimer::timeout, this, [this] {
    if (active() || is(RunState::failed)) session_->update_graph(document_.flat());
  });
  connect(&document_, &Document::structureChanged, this, [this] { structure_.start(); });
  connect(&document_, &Document::structureChanged, this, &RunModel::dismissFailure);
  connect(&document_, &Document::structureChanged, this, &RunModel::lookForTrainer);
  connect(&document_, &Document::reset, this, &RunModel::lookForTrainer);
  lookForTrainer();
  connect(&document_, &Document::nodesMoved, this, &RunModel::moveNodes);
  connect(&document_, &Document::selectionChanged, this, [this] {
    if (inspecting_) session_->inspect(to_std(document_.activePath()));
  });
  connect(&document_, &Document::reset, this, [this] {
    structure_.stop();
    past_.clear();
    startSoon_ = false;
    files_.begin({});
    endSearch();
    session_->reset();
    Q_EMIT stateChanged();
  });
}

void RunModel::followWeights() {
  DocumentWeights* weights = document_.weights();
  connect(this, &RunModel::stateChanged, this, [this, weights] { weights->setTraining(running()); });
  connect(weights, &DocumentWeights::settled, this, [this] {
    if (std::exchange(startSoon_, false)) start();
  });
  connect(weights, &DocumentWeights::loaded, this, [this] {
    beginWithWeights();
    Q_EMIT stateChanged();
  });
  connect(weights, &DocumentWeights::replaced, this, [this] {
    structure_.stop();
    session_->reset();  // its states are those of the other graph
    beginWithWeights();
    take();  // what was learnt before is not this run's any more
    Q_EMIT weightsChanged();
    Q_EMIT stateChanged();
  });
  weights->setStatesSource([this](CheckpointSink sink) {
    if (!started() && document_.weights()->states()) return sink(document_.weights()->states());
    session_->take_checkpoint(std::move(sink));
  });
}

RunModel::~RunModel() {
  document_.weights()->setStatesSource(nullptr);
  session_.reset();
}

void RunModel::lookForTrainer() {
  const bool trains = has_trainer(document_.flat());
  if (std::exchange(trains_, trains) != trains) Q_EMIT trainsChanged();
}

bool RunModel::mayStart() {
  const Status may = may_run(document_);
  if (!may) report(may.error());
  return static_cast<bool>(may);
}

void RunModel::start() {
  if (running()) return;
  status_.forgetError();
  if (!mayStart()) return;
  startSoon_ = document_.weights()->pending();  // what is trained begins with them
  if (startSoon_) return;
  if (paused()) return session_->resume();
  begin();
}

void RunModel::begin(uint64_t steps, bool paused) {
  structure_.stop();
  status_.begin();
  session_->start(document_.flat(), to_std(device_), steps, paused);
}

void RunModel::pause() {
  end(tr("Pausing"));
  session_->pause();
}

void RunModel::end(const QString& text) {
  if (!running()) return;
  status_.end(text);
  Q_EMIT stateChanged();
}

void RunModel::stepOnce() {
  if (running()) return pause();
  status_.forgetError();
  if (!mayStart()) return;
  if (!paused() && (!started() || is(RunState::failed))) {
    begin(0, true);
  } else if (!paused()) {
    session_->update_graph(document_.flat());  // at rest edits are not sent as they come
  }
  session_->step_once();
}

void RunModel::stop() {
  startSoon_ = false;
  end(tr("Stopping"));
  endSearch();
  session_->stop();
}

void RunModel::restart() {
  past_.keep(snapshot_->losses);
  startSoon_ = false;
  endSearch();
  files_.begin({});
  session_->reset();
  document_.weights()->set(nullptr);
  Q_EMIT weightsChanged();
  Q_EMIT stateChanged();
}

void RunModel::moveNodes(const MovedNodes& moved) {
  // What was read from a file and is not trained yet is the document's, which has moved it.
  if (loaded()) {
    beginWithWeights();
  } else {
    session_->update_graph(document_.flat(), moved);
  }
}

void RunModel::beginWithWeights() {
  files_.begin({document_.weights()->tensors(), document_.weights()->states(), {}});
  lacking_.renew();
  loadOrigin();
}

void RunModel::loadOrigin() {
  const RunOrigin& origin = files_.origin();
  if (origin.states)
    session_->continue_from(origin.states, origin.weights);
  else
    session_->load_weights(origin.weights);
}

void RunModel::saveCheckpoint(const QUrl& file) {
  session_->take_checkpoint(files_.writer(file, [this, file](const Status& saved) {
    if (saved) return void(Q_EMIT checkpointSaved(file.toLocalFile()));
    status_.forgetError();
    report(saved.error());
  }));
}

void RunModel::resumeFrom(const QUrl& file) {
  files_.read(file, [this, file](Result<Checkpoint> read) { resume(file, std::move(read), false); });
}

void RunModel::resume(const QUrl& file, Result<Checkpoint> read, bool search) {
  status_.forgetError();
  if (!read) return report(read.error());
  if (!mayStart()) return;
  if (const Status may = may_resume(document_, *read); !may) return report(may.error());
  restart();
  files_.begin({nullptr, nullptr, file});
  if (search) watch_.beginSearch();
  session_->load_checkpoint(std::make_shared<const Checkpoint>(*std::move(read)));
  begin();
}

void RunModel::takeStates(std::function<void(const std::shared_ptr<const Checkpoint>&)> take) {
  session_->take_checkpoint([this, take = std::move(take)](std::shared_ptr<const Checkpoint> states) {
    QMetaObject::invokeMethod(
        this, [take, states = std::move(states)] { take(states); }, Qt::QueuedConnection);
  });
}

void RunModel::findBadValue() {
  if (running()) return;
  if (const auto saved = files_.saved()) {
    return files_.read(saved->file, [this, file = saved->file](Result<Checkpoint> read) {
      // What is bad in it was made before it.
      if (read && continues(*read)) return resume(file, std::move(read), true);
      files_.forgetSaved();
      findBadValue();
    });
  }
  const RunOrigin& origin = files_.origin();
  if (const QUrl file = origin.checkpoint; !file.isEmpty())
    return files_.read(file, [this, file](Result<Checkpoint> read) { resume(file, std::move(read), true); });
  status_.forgetError();
  if (!mayStart()) return;
  const uint64_t steps = origin.states ? 0 : snapshot_->steps;  // schedules depend on it; states know their own
  if (origin.weights) {
    loadOrigin();
  } else {
    session_->reset();
  }
  watch_.beginSearch();
  begin(steps);
}

bool RunModel::continues(const Checkpoint& c) const {
  const auto& saved = files_.saved();
  return saved && c.step == saved->step && c.steps == snapshot_->steps &&
         same_run(c, document_.flat(), to_std(device_));
}

void RunModel::endSearch() {
  if (!watch_.endSearch()) return;
  Q_EMIT stateChanged();
  if (is(RunState::finished))
    report({codes::unsupported, "", tr("No value of these steps was Inf or NaN.").toStdString(),
            tr("The graph or a number in it has been edited since the run that failed.").toStdString()});
}

void RunModel::setHaltOnBadValue(bool on) {
  if (watch_.setHalts(on)) Q_EMIT haltOnBadValueChanged();
}

void RunModel::reloadFiles() {
  dismissFailure();
  session_->reload_files();
  needs_.renew();
}

void RunModel::setInspecting(bool on) {
  if (on == inspecting_) return;
  inspecting_ = on;
  session_->inspect(on ? to_std(document_.activePath()) : std::string());
}

void RunModel::setWeightsWanted(bool on) {
  weightsWanted_ += on ? 1 : -1;
  session_->publish_weights_while_running(weightsWanted_ > 0);
}

void RunModel::take() {
  pace_.taken();
  auto before = std::exchange(snapshot_, session_->snapshot());
  const bool state_differs = status_.take(*snapshot_);
  if (snapshot_->weights != before->weights) {
    if (snapshot_->weights) document_.weights()->set(snapshot_->weights);
    Q_EMIT weightsChanged();
  }
  if (snapshot_->step > before->step) document_.weights()->noteTrained();
  stepRate_.take(*snapshot_);
  // An event of its own: the table, the histogram and the picture of a tensor cost some milliseconds.
  if (snapshot_->inspection != before->inspection)
    QMetaObject::invokeMethod(this, &RunModel::inspectionChanged, Qt::QueuedConnection);
  if (pace_.ratesDue(snapshot_->state != before->state)) takeRates();
  if (state_differs || rarely_differs(*snapshot_) != rarely_differs(*before)) Q_EMIT stateChanged();
  Q_EMIT changed();
  report(status_.error(*snapshot_));
  if (is(RunState::finished) || is(RunState::failed)) endSearch();
  // The last holder frees tens of megabytes.
  QThreadPool::globalInstance()->start([old = std::move(before)] {});
}

void RunModel::takeRates() {
  QMetaObject::invokeMethod(this, &RunModel::ratesChanged, Qt::QueuedConnection);
  QMetaObject::invokeMethod(this, &RunModel::takeNodeMs, Qt::QueuedConnection);
}

void RunModel::takeNodeMs() {
  QVariantMap ms;
  for (const auto& [node, value] : snapshot_->node_ms) ms.insert(to_q(node), value);
  if (ms == nodeMs_) return;
  nodeMs_ = std::move(ms);
  Q_EMIT nodeMsChanged();
}

void RunModel::report(const Error& error) {
  if (!status_.takeError(error)) return;
  Q_EMIT errorChanged(error);
  Q_EMIT failed(to_q(error.code), reason_text(error), without_commands(to_q(error.remedy)));
}

void RunModel::dismissFailure() {
  report({});
  if (!status_.dismiss(*snapshot_)) return;
  Q_EMIT stateChanged();
  Q_EMIT changed();
}

QString RunModel::state() const {
  return to_q(name(status_.state(*snapshot_)));
}

QString RunModel::stateText() const {
  if (!status_.ending().isEmpty()) return status_.ending();
  const RunState shown = status_.state(*snapshot_);
  if (shown != RunState::idle || !loaded()) return state_text(shown, started());
  const auto& states = files_.origin().states;
  return states ? with_states_text(states->step, document_.weights()->modified()) : with_weights_text(lacking_.count());
}

double RunModel::progress() const {
  return steps() > 0 ? static_cast<double>(step()) / static_cast<double>(steps()) : 0;
}

QStringList RunModel::notes() const {
  QStringList list;
  for (const std::string& note : snapshot_->notes) list.append(to_q(note));
  return list;
}

QStringList RunModel::devices() const {
  QStringList list;
  for (const std::string& id : device_ids()) list.append(to_q(id));
  return list;
}

void RunModel::setDevice(const QString& device) {
  if (device == device_ || !has_device(to_std(device))) return;
  device_ = device;
  needs_.setDevice(device);
  Q_EMIT deviceChanged();
}

}  // namespace hw::app
