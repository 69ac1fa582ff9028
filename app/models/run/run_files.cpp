#include "app/models/run/run_files.h"

#include "app/document/task.h"
#include "app/workspace/resume_place.h"
#include "engine/core/codes.h"
#include "engine/io/checkpoint/checkpoint_file.h"

namespace hw::app {

RunFiles::RunFiles(QObject* parent) : QObject(parent) {
  work_.setMaxThreadCount(1);
}

RunFiles::~RunFiles() {
  work_.waitForDone();
}

void RunFiles::begin(RunOrigin origin) {
  origin_ = std::move(origin);
  saved_.reset();
  ++run_;
}

CheckpointSink RunFiles::writer(const QUrl& file, std::function<void(const Status&)> done) {
  return [this, file, done = std::move(done), run = run_](std::shared_ptr<const Checkpoint> checkpoint) {
    const uint64_t step = checkpoint ? checkpoint->step : 0;
    start_work(
        work_, this,
        [file, checkpoint = std::move(checkpoint)]() -> Status {
          if (!checkpoint) return Error{codes::unsupported, "", "nothing was trained yet.", "Run it first."};
          return save_checkpoint(*checkpoint, file.toLocalFile().toStdU16String());
        },
        [this, file, done, run, step](const Status& written) {
          if (written && run == run_) saved_ = Saved{file, step};
          done(written);
        });
  };
}

void RunFiles::read(const QUrl& file, std::function<void(Result<Checkpoint>)> done) {
  start_work(
      work_, this, [file] { return workspace::read_sound_checkpoint(file.toLocalFile().toStdU16String()); },
      std::move(done));
}

}  // namespace hw::app
