#include "app/models/run/run_model.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

constexpr int kStructureMs = 60;
constexpr int kEstimateMs = 400;
constexpr int kTakeEvery = 80;
constexpr int kRatesEvery = 500;
constexpr int kRateEvery = 1000;
constexpr size_t kPastRuns = 4;

auto rarely_differs(const RunSnapshot& s) {
  return std::make_tuple(s.state, s.step > 0, s.steps, s.memory_bytes, std::cref(s.metrics), s.metrics_step,
                         std::cref(s.notes));
}

}  // namespace

RunModel::RunModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), assets_(assets), device_(to_q(device_ids().front())) {
  files_.setMaxThreadCount(1);
  ratesAge_.start();
  rateAge_.start();
  session_ = std::make_unique<Session>(std::move(assets), [this] {
    if (pending_.exchange(true)) return;
    QMetaObject::invokeMethod(this, &RunModel::look, Qt::QueuedConnection);
  });
  session_->publish_weights_while_running(false);
  session_->instruments(InstrumentSettings{});
  takenAge_.start();
  takeSoon_.setSingleShot(true);
  connect(&takeSoon_, &QTimer::timeout, this, &RunModel::take);
  structure_.setSingleShot(true);
  structure_.setInterval(kStructureMs);
  connect(&structure_, &QTimer::timeout, this, [this] {
    if (active() || is(RunState::failed)) session_->update_graph(document_.graph());
  });
  connect(&document, &Document::structureChanged, this, [this] { structure_.start(); });
  connect(&document, &Document::selectionChanged, this, [this] {
    if (inspecting_) session_->inspect(to_std(document_.activeNode()));
  });
  connect(&document, &Document::reset, this, [this] {
    structure_.stop();
    past_.clear();
    startSoon_ = false;
    loaded_.reset();
    loadedStates_.reset();
    resumed_.clear();
    forgetSaved();
    endSearch();
    session_->reset();
    Q_EMIT stateChanged();
  });
  connect(&document, &Document::weightsSettled, this, [this] {
    if (std::exchange(startSoon_, false)) start();
  });
  work_.setMaxThreadCount(1);
  estimateSoon_.setSingleShot(true);
  estimateSoon_.setInterval(kEstimateMs);
  connect(&estimateSoon_, &QTimer::timeout, this, &RunModel::estimate);
  for (const auto change : {&Document::structureChanged, &Document::reset}) {
    connect(&document, change, this, [this] { estimateSoon_.start(); });
  }
  connect(this, &RunModel::deviceChanged, this, [this] { estimateSoon_.start(); });
  connect(&document, &Document::weightsLoaded, this, [this] {
    loaded_ = document_.weights();
    loadedStates_ = document_.states();
    resumed_.clear();
    forgetSaved();
    beginWithLoaded();
    Q_EMIT stateChanged();
  });
  document.setStatesSource([this](CheckpointSink sink) {
    if (!started() && document_.states()) return sink(document_.states());
    session_->take_checkpoint(std::move(sink));
  });
}

void RunModel::beginWithLoaded() {
  if (loadedStates_)
    session_->continue_from(loadedStates_, loaded_);
  else
    session_->load_weights(loaded_);
}

RunModel::~RunModel() {
  document_.setStatesSource(nullptr);
  session_.reset();
  files_.waitForDone();
  work_.waitForDone();
}

void RunModel::estimate() {
  if (estimating_) {
    estimateAgain_ = true;
    return;
  }
  const auto trainer = find_trainer(document_.graph());
  if (!trainer || document_.validator().blocking(document_.graph(), *trainer)) {
    if (!std::exchange(needs_, QString()).isEmpty()) Q_EMIT needsChanged();
    return;
  }
  estimating_ = true;
  start_task(
      work_, this,
      [this, graph = document_.graph(), device = to_std(device_)] {
        QStringList places;
        if (const auto found = estimate_memory_by_place(graph, *assets_, device)) {
          for (const auto& [place, m] : *found) {
            const bool only_host = found->size() == 1 && place.empty();
            const QString total = to_q(memory_text(m.total()));
            places +=
                tr("%1 (parameters %2, optimiser %3, activations %4, data %5, copies of weights %6)")
                    .arg(only_host ? total : tr("%1 on %2").arg(total, place.empty() ? tr("the host") : to_q(place)),
                         to_q(memory_text(m.parameters)), to_q(memory_text(m.optimiser)),
                         to_q(memory_text(m.activations)), to_q(memory_text(m.data)), to_q(memory_text(m.copies)));
          }
        }
        const QString text = places.join(tr("; "));
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, text] {
              estimating_ = false;
              if (std::exchange(needs_, text) != text) Q_EMIT needsChanged();
              if (std::exchange(estimateAgain_, false)) estimate();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { estimating_ = false; });
}

bool RunModel::mayStart() {
  const auto trainer = find_trainer(document_.graph());
  if (!trainer) {
    report(trainer.error());
    return false;
  }
  // Training would make weights that the next save puts in their place.
  if (!document_.weightProblems().empty()) {
    const Diagnostic& d = document_.weightProblems().front();
    report({d.code, d.node + (d.socket.empty() ? "" : "." + d.socket), d.reason,
            tr("Its remedies are in Problems; or move the weights' file away.").toStdString()});
    return false;
  }
  const Diagnostic* blocking = document_.validator().blocking(document_.graph(), *trainer);
  if (!blocking) return true;
  // Not the engine's to refuse: the problem is on the canvas, so say where.
  const std::string place = blocking->node + (blocking->socket.empty() ? "" : "." + blocking->socket);
  report({blocking->code, place, blocking->reason, tr("Its remedies are in Problems; F8 goes there.").toStdString()});
  return false;
}

void RunModel::start() {
  if (running()) return;
  reported_ = {};
  if (!mayStart()) return;
  startSoon_ = document_.weightsPending();  // what is trained begins with them
  if (startSoon_) return;
  if (paused()) return session_->resume();
  structure_.stop();
  session_->start(document_.graph(), to_std(device_));
}

void RunModel::pause() {
  end(tr("Pausing"));
  session_->pause();
}

void RunModel::end(const QString& text) {
  if (!running()) return;
  ending_ = text;
  Q_EMIT stateChanged();
}

void RunModel::stepOnce() {
  if (running()) return pause();
  reported_ = {};
  if (!mayStart()) return;
  if (!started() && !paused()) {
    session_->start(document_.graph(), to_std(device_), 0, true);
  } else if (!paused()) {
    session_->update_graph(document_.graph());  // at rest edits are not sent as they come
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
  if (snapshot_->losses && !snapshot_->losses->empty()) {
    past_.push_back(snapshot_->losses);
    if (past_.size() > kPastRuns) past_.pop_front();
  }
  startSoon_ = false;
  endSearch();
  loaded_.reset();
  loadedStates_.reset();
  resumed_.clear();
  forgetSaved();
  session_->reset();
  document_.setWeights(nullptr);
  Q_EMIT weightsChanged();
  Q_EMIT stateChanged();
}

void RunModel::reloadFiles() {
  session_->reload_files();
  estimateSoon_.start();
}

void RunModel::setInspecting(bool on) {
  if (on == inspecting_) return;
  inspecting_ = on;
  session_->inspect(on ? to_std(document_.activeNode()) : std::string());
}

void RunModel::setWeightsWanted(bool on) {
  weightsWanted_ += on ? 1 : -1;
  session_->publish_weights_while_running(weightsWanted_ > 0);
}

void RunModel::look() {
  pending_ = false;
  const auto age = static_cast<int>(takenAge_.elapsed());
  if (age >= kTakeEvery || session_->snapshot()->state != snapshot_->state) {
    take();
  } else if (!takeSoon_.isActive()) {
    takeSoon_.start(kTakeEvery - age);
  }
}

void RunModel::take() {
  takeSoon_.stop();
  takenAge_.restart();
  auto before = std::exchange(snapshot_, session_->snapshot());
  if (!running()) ending_.clear();
  if (snapshot_->weights != before->weights) {
    if (snapshot_->weights) document_.setWeights(snapshot_->weights);
    Q_EMIT weightsChanged();
  }
  measureRate();
  // An event of its own: the table, the histogram and the picture of a tensor cost some milliseconds.
  if (snapshot_->inspection != before->inspection)
    QMetaObject::invokeMethod(this, &RunModel::inspectionChanged, Qt::QueuedConnection);
  if (ratesAge_.elapsed() >= kRatesEvery || snapshot_->state != before->state) takeRates();
  if (rarely_differs(*snapshot_) != rarely_differs(*before)) Q_EMIT stateChanged();
  Q_EMIT changed();
  report(snapshot_->error.value_or(Error{}));
  if (is(RunState::finished) || is(RunState::failed)) endSearch();
  // The last holder frees tens of megabytes.
  QThreadPool::globalInstance()->start([old = std::move(before)] {});
}

void RunModel::takeRates() {
  ratesAge_.restart();
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

void RunModel::measureRate() {
  if (!is(RunState::running) || snapshot_->step < rateStep_) {
    stepsPerSecond_ = 0;
    rateStep_ = snapshot_->step;
    rateAge_.restart();
    return;
  }
  if (rateAge_.elapsed() < kRateEvery) return;
  const double now = static_cast<double>(snapshot_->step - rateStep_) * 1000 / static_cast<double>(rateAge_.restart());
  stepsPerSecond_ = stepsPerSecond_ > 0 ? 0.6 * stepsPerSecond_ + 0.4 * now : now;
  rateStep_ = snapshot_->step;
}

void RunModel::report(const Error& error) {
  if (error.code == reported_.code && error.where == reported_.where && error.reason == reported_.reason) return;
  reported_ = error;
  Q_EMIT errorChanged(error);
  Q_EMIT failed(to_q(error.code), reason_text(error), to_q(error.remedy));
}

QString RunModel::state() const {
  return to_q(name(snapshot_->state));
}

QString RunModel::stateText() const {
  if (!ending_.isEmpty()) return ending_;
  switch (snapshot_->state) {
    case RunState::idle:
      return started()       ? tr("Stopped")
             : !loaded()     ? tr("Ready")
             : loadedStates_ ? tr("Ready, saved at step %1").arg(loadedStates_->step)
                             : tr("Ready, saved weights");
    case RunState::preparing:
      return tr("Preparing");
    case RunState::running:
      return tr("Training");
    case RunState::paused:
      return tr("Paused");
    case RunState::finished:
      return tr("Finished");
    case RunState::failed:
      return tr("Failed");
  }
  return {};
}

double RunModel::progress() const {
  return steps() > 0 ? static_cast<double>(step()) / static_cast<double>(steps()) : 0;
}

QString RunModel::loss() const {
  return started() ? format_number(snapshot_->loss, 4) : QString();
}

QString RunModel::metrics() const {
  QStringList list;
  for (const auto& [id, value] : snapshot_->metrics) {
    const Node* node = document_.graph().find(id);
    if (node) list.append(tr("%1 %2 %").arg(to_q(display_name(*node)), QString::number(100 * value, 'f', 2)));
  }
  if (!list.isEmpty()) list.append(tr("at step %1").arg(snapshot_->metrics_step));
  return list.join(QStringLiteral("  "));
}

QString RunModel::metricsMeaning() const {
  if (snapshot_->metrics.empty()) return {};
  return tr("Over all %1 samples of the test split, in evaluation mode, measured after step %2.")
      .arg(snapshot_->metrics_samples)
      .arg(snapshot_->metrics_step);
}

QString RunModel::rate() const {
  const double rate = snapshot_->samples_per_s;
  return is(RunState::running) && rate > 0 ? tr("%1 samples/s").arg(format_count(rate)) : QString();
}

QString RunModel::timeLeft() const {
  if (stepsPerSecond_ <= 0 || steps() <= step()) return {};
  return format_duration(static_cast<double>(steps() - step()) / stepsPerSecond_);
}

QString RunModel::elapsed() const {
  return started() ? format_duration(snapshot_->seconds) : QString();
}

QString RunModel::learningRate() const {
  return started() ? format_number(snapshot_->learning_rate, 3) : QString();
}

QString RunModel::memory() const {
  return snapshot_->memory_bytes > 0 ? format_bytes(static_cast<double>(snapshot_->memory_bytes)) : QString();
}

QString RunModel::statesSize() const {
  return snapshot_->states_bytes > 0 ? format_bytes(static_cast<double>(snapshot_->states_bytes)) : QString();
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
  if (device == device_ || !devices().contains(device)) return;
  device_ = device;
  Q_EMIT deviceChanged();
}

}  // namespace hw::app
