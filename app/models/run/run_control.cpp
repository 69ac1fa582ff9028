#include "app/models/run/run_control.h"

#include <QThreadPool>

#include "app/document/text.h"
#include "app/models/run/may_run.h"
#include "app/models/run/same_run.h"
#include "engine/core/codes.h"

namespace hw::app {
namespace {

auto rarely_differs(const RunSnapshot& s) {
  return std::make_tuple(s.state, s.step > 0, s.steps, s.memory_bytes, s.measured, std::cref(s.notes));
}

}  // namespace

RunControl::RunControl(Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent)
    : QObject(parent),
      document_(document),
      device_(std::move(device)),
      watch_([this](std::shared_ptr<TrainingWatch> watch) { session_.watch(std::move(watch)); }),
      pace_([this] { return session_.snapshot()->state != snapshot_->state; }),
      session_(std::move(assets), [this] { pace_.note(); }),
      feed_(document, session_, [this] { return running() || paused() || is(RunState::failed); }) {
  session_.instruments(InstrumentSettings{});
  connect(&pace_, &SnapshotPace::due, this, &RunControl::take);
  followDocument();
  followWeights();
}

void RunControl::followDocument() {
  connect(&document_, &Document::structureChanged, this, &RunControl::dismissFailure);
  connect(&document_, &Document::nodesMoved, this, &RunControl::moveNodes);
  connect(&document_, &Document::reset, this, [this] {
    past_.clear();
    startSoon_ = false;
    files_.begin({});
    endSearch();
    session_.reset();
    Q_EMIT stateChanged();
  });
}

void RunControl::followWeights() {
  DocumentWeights* weights = document_.weights();
  connect(this, &RunControl::stateChanged, this, [this, weights] { weights->setTraining(running()); });
  connect(weights, &DocumentWeights::settled, this, [this] {
    if (std::exchange(startSoon_, false)) start();
  });
  connect(weights, &DocumentWeights::loaded, this, [this] {
    beginWithWeights();
    Q_EMIT stateChanged();
  });
  connect(weights, &DocumentWeights::replaced, this, [this] {
    feed_.drop();
    session_.reset();  // its states are those of the other graph
    beginWithWeights();
    take();  // what was learnt before is not this run's any more
    Q_EMIT weightsChanged();
    Q_EMIT stateChanged();
  });
  weights->setStatesSource([this](CheckpointSink sink) {
    if (!started() && document_.weights()->states()) return sink(document_.weights()->states());
    session_.take_checkpoint(std::move(sink));
  });
}

RunControl::~RunControl() {
  document_.weights()->setStatesSource(nullptr);
}

bool RunControl::mayStart() {
  const Status may = may_run(document_);
  if (!may) report(may.error());
  return static_cast<bool>(may);
}

void RunControl::start() {
  if (running()) return;
  status_.forgetError();
  if (!mayStart()) return;
  startSoon_ = document_.weights()->pending();  // what is trained begins with them
  if (startSoon_) return;
  if (paused()) return session_.resume();
  begin();
}

void RunControl::begin(uint64_t steps, bool paused) {
  feed_.drop();
  status_.begin();
  session_.start(document_.flat(), to_std(device_), steps, paused);
}

void RunControl::pause() {
  end(tr("Pausing"));
  session_.pause();
}

void RunControl::end(const QString& text) {
  if (!running()) return;
  status_.end(text);
  Q_EMIT stateChanged();
}

void RunControl::stepOnce() {
  if (running()) return pause();
  status_.forgetError();
  if (!mayStart()) return;
  if (!paused() && (!started() || is(RunState::failed))) {
    begin(0, true);
  } else if (!paused()) {
    feed_.send();  // at rest edits are not sent as they come
  }
  session_.step_once();
}

void RunControl::stop() {
  startSoon_ = false;
  end(tr("Stopping"));
  endSearch();
  session_.stop();
}

void RunControl::restart() {
  past_.keep(snapshot_->losses);
  startSoon_ = false;
  endSearch();
  files_.begin({});
  session_.reset();
  document_.weights()->set(nullptr);
  Q_EMIT weightsChanged();
  Q_EMIT stateChanged();
}

void RunControl::moveNodes(const MovedNodes& moved) {
  // What was read from a file and is not trained yet is the document's, which has moved it.
  if (loaded()) {
    beginWithWeights();
  } else {
    session_.update_graph(document_.flat(), moved);
  }
}

void RunControl::beginWithWeights() {
  files_.begin({document_.weights()->tensors(), document_.weights()->states(), {}});
  Q_EMIT originChanged();
  loadOrigin();
}

void RunControl::loadOrigin() {
  const RunOrigin& origin = files_.origin();
  if (origin.states)
    session_.continue_from(origin.states, origin.weights);
  else
    session_.load_weights(origin.weights);
}

void RunControl::saveCheckpoint(const QUrl& file) {
  session_.take_checkpoint(files_.writer(file, [this, file](const Status& saved) {
    if (saved) return void(Q_EMIT checkpointSaved(file.toLocalFile()));
    status_.forgetError();
    report(saved.error());
  }));
}

void RunControl::resumeFrom(const QUrl& file) {
  files_.read(file, [this, file](Result<Checkpoint> read) { resume(file, std::move(read), false); });
}

void RunControl::resume(const QUrl& file, Result<Checkpoint> read, bool search) {
  status_.forgetError();
  if (!read) return report(read.error());
  if (!mayStart()) return;
  if (const Status may = may_resume(document_, *read); !may) return report(may.error());
  restart();
  files_.begin({nullptr, nullptr, file});
  if (search) watch_.beginSearch();
  session_.load_checkpoint(std::make_shared<const Checkpoint>(*std::move(read)));
  begin();
}

void RunControl::takeStates(std::function<void(const std::shared_ptr<const Checkpoint>&)> take) {
  session_.take_checkpoint([this, take = std::move(take)](std::shared_ptr<const Checkpoint> states) {
    QMetaObject::invokeMethod(
        this, [take, states = std::move(states)] { take(states); }, Qt::QueuedConnection);
  });
}

void RunControl::findBadValue() {
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
    session_.reset();
  }
  watch_.beginSearch();
  begin(steps);
}

bool RunControl::continues(const Checkpoint& c) const {
  const auto& saved = files_.saved();
  return saved && c.step == saved->step && c.steps == snapshot_->steps &&
         same_run(c, document_.flat(), to_std(device_));
}

void RunControl::endSearch() {
  if (!watch_.endSearch()) return;
  Q_EMIT stateChanged();
  if (is(RunState::finished))
    report({codes::unsupported, "", tr("No value of these steps was Inf or NaN.").toStdString(),
            tr("The graph or a number in it has been edited since the run that failed.").toStdString()});
}

void RunControl::reloadFiles() {
  dismissFailure();
  session_.reload_files();
}

void RunControl::take() {
  pace_.taken();
  auto before = std::exchange(snapshot_, session_.snapshot());
  const bool state_differs = status_.take(*snapshot_);
  if (snapshot_->weights != before->weights) {
    if (snapshot_->weights) document_.weights()->set(snapshot_->weights);
    Q_EMIT weightsChanged();
  }
  if (snapshot_->step > before->step) document_.weights()->noteTrained();
  Q_EMIT taken();
  if (snapshot_->inspection != before->inspection) Q_EMIT inspectionChanged();
  if (pace_.ratesDue(snapshot_->state != before->state)) Q_EMIT ratesDue();
  if (state_differs || rarely_differs(*snapshot_) != rarely_differs(*before)) Q_EMIT stateChanged();
  Q_EMIT changed();
  report(status_.error(*snapshot_));
  if (is(RunState::finished) || is(RunState::failed)) endSearch();
  // The last holder frees tens of megabytes.
  QThreadPool::globalInstance()->start([old = std::move(before)] {});
}

void RunControl::report(const Error& error) {
  if (!status_.takeError(error)) return;
  Q_EMIT errorChanged(error);
}

void RunControl::dismissFailure() {
  report({});
  if (!status_.dismiss(*snapshot_)) return;
  Q_EMIT stateChanged();
  Q_EMIT changed();
}

}  // namespace hw::app
