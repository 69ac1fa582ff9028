// RunModel: checkpoints, and runs that are watched for their first bad value.

#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/checkpoint_file.h"
#include "engine/plan/train_settings.h"
#include "engine/plan/training_plan.h"
#include "engine/train/first_bad_value.h"

namespace hw::app {

void RunModel::saveCheckpoint(const QUrl& file) {
  const QString path = file.toLocalFile();
  session_->take_checkpoint([this, file, path, run = run_number_](std::shared_ptr<const Checkpoint> checkpoint) {
    files_.start([this, file, path, run, checkpoint = std::move(checkpoint)] {
      const Status saved = guarded([&]() -> Status {
        if (!checkpoint) return Error{codes::unsupported, "", "nothing was trained yet.", "Run it first."};
        return save_checkpoint(*checkpoint, path.toStdU16String());
      });
      QMetaObject::invokeMethod(
          this,
          [this, file, path, run, saved, step = checkpoint ? checkpoint->step : 0] {
            if (saved && run == run_number_) saved_ = Saved{file, step};
            if (saved) return void(Q_EMIT checkpointSaved(path));
            reported_ = {};
            report(saved.error());
          },
          Qt::QueuedConnection);
    });
  });
}

void RunModel::resumeFrom(const QUrl& file) {
  resume(file, Resume::plainly);
}

bool RunModel::continues(const Checkpoint& c) const {
  const auto now = find_trainer(document_.graph()), then = find_trainer(c.graph);
  return now && then && *now == *then && saved_ && c.step == saved_->step && c.steps == snapshot_->steps &&
         c.device == to_std(device_) && document_.graph().find(*now)->params == c.graph.find(*then)->params &&
         same_structure(c.graph, document_.graph());
}

void RunModel::forgetSaved() {
  saved_.reset();
  ++run_number_;
}

void RunModel::resume(const QUrl& file, Resume how) {
  files_.start([this, file, how] {
    auto read = std::make_shared<Result<Checkpoint>>(
        guarded([&] { return read_checkpoint(file.toLocalFile().toStdU16String()); }));
    // What is bad in it was made before it.
    const bool from_saved = how == Resume::searching_from_saved;
    const bool useful = *read && (!from_saved || (*read)->unsound.empty());
    QMetaObject::invokeMethod(
        this,
        [this, read, file, search = how != Resume::plainly, from_saved, useful] {
          if (from_saved && !(useful && continues(**read))) {
            saved_.reset();
            return findBadValue();
          }
          reported_ = {};
          if (!*read) return report(read->error());
          if (!mayStart()) return;
          restart();
          resumed_ = file;
          searching_ = search;
          if (search) session_->watch(watch_for_bad_values());
          structure_.stop();
          session_->load_checkpoint(std::make_shared<const Checkpoint>(std::move(**read)));
          session_->start(document_.graph(), to_std(device_));
        },
        Qt::QueuedConnection);
  });
}

void RunModel::setHaltOnBadValue(bool on) {
  if (on == halt_) return;
  halt_ = on;
  if (!searching_) session_->watch(on ? watch_for_bad_values() : nullptr);
  Q_EMIT haltOnBadValueChanged();
}

void RunModel::findBadValue() {
  if (running()) return;
  if (saved_) return resume(saved_->file, Resume::searching_from_saved);
  if (!resumed_.isEmpty()) return resume(resumed_, Resume::searching);
  reported_ = {};
  if (!mayStart()) return;
  const uint64_t steps = loadedStates_ ? 0 : snapshot_->steps;  // schedules depend on it; states know their own
  structure_.stop();
  if (loaded_) {
    beginWithLoaded();
  } else {
    session_->reset();
  }
  searching_ = true;
  session_->watch(watch_for_bad_values());
  session_->start(document_.graph(), to_std(device_), steps);
}

void RunModel::endSearch() {
  if (!std::exchange(searching_, false)) return;
  if (!halt_) session_->watch(nullptr);
  Q_EMIT stateChanged();
  if (is(RunState::finished))
    report({codes::unsupported, "", tr("No value of these steps was Inf or NaN.").toStdString(),
            tr("The graph or a number in it has been edited since the run that failed.").toStdString()});
}

void RunModel::takeStates(std::function<void(const std::shared_ptr<const Checkpoint>&)> take) {
  session_->take_checkpoint([this, take = std::move(take)](std::shared_ptr<const Checkpoint> states) {
    QMetaObject::invokeMethod(
        this, [take, states = std::move(states)] { take(states); }, Qt::QueuedConnection);
  });
}

}  // namespace hw::app
