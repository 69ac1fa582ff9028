#include "app/models/run/run_files.h"

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/checkpoint_file.h"

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
    work_.start([this, file, done, run, checkpoint = std::move(checkpoint)] {
      const Status written = guarded([&]() -> Status {
        if (!checkpoint) return Error{codes::unsupported, "", "nothing was trained yet.", "Run it first."};
        return save_checkpoint(*checkpoint, file.toLocalFile().toStdU16String());
      });
      QMetaObject::invokeMethod(
          this,
          [this, file, done, run, written, step = checkpoint ? checkpoint->step : 0] {
            if (written && run == run_) saved_ = Saved{file, step};
            done(written);
          },
          Qt::QueuedConnection);
    });
  };
}

void RunFiles::read(const QUrl& file, std::function<void(Result<Checkpoint>)> done) {
  work_.start([this, file, done = std::move(done)] {
    auto found = std::make_shared<Result<Checkpoint>>(
        guarded([&] { return read_checkpoint(file.toLocalFile().toStdU16String()); }));
    QMetaObject::invokeMethod(
        this, [done, found] { done(std::move(*found)); }, Qt::QueuedConnection);
  });
}

}  // namespace hw::app
