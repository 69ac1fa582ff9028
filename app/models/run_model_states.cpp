// RunModel: checkpoints, and runs that are watched for their first bad value.
#include "app/document/text.h"
#include "app/models/run_model.h"
#include "engine/check/first_bad_value.h"
#include "engine/core/codes.h"
#include "engine/io/checkpoint_file.h"

namespace hw::app {

void RunModel::saveCheckpoint(const QUrl& file) {
  const QString path = file.toLocalFile();
  session_->take_checkpoint([this, path](std::shared_ptr<const Checkpoint> checkpoint) {
    files_.start([this, path, checkpoint = std::move(checkpoint)] {
      const Status saved = checkpoint
                               ? save_checkpoint(*checkpoint, path.toStdU16String())
                               : Status(Error{codes::unsupported, "", "nothing was trained yet.", "Run it first."});
      QMetaObject::invokeMethod(
          this,
          [this, path, saved] {
            if (saved) return void(Q_EMIT checkpointSaved(path));
            reported_ = {};
            report(saved.error());
          },
          Qt::QueuedConnection);
    });
  });
}

void RunModel::resumeFrom(const QUrl& file) {
  resume(file, false);
}

void RunModel::resume(const QUrl& file, bool search) {
  files_.start([this, file, search] {
    auto read = std::make_shared<Result<Checkpoint>>(read_checkpoint(file.toLocalFile().toStdU16String()));
    QMetaObject::invokeMethod(
        this,
        [this, read, file, search] {
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
  if (!resumed_.isEmpty()) return resume(resumed_, true);
  reported_ = {};
  if (!mayStart()) return;
  const uint64_t steps = snapshot_->steps;  // schedules depend on it
  structure_.stop();
  if (loaded_) {
    session_->load_weights(loaded_);
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
