// RunFiles: what a run began with, and its checkpoints on disk: all from which it can be made again.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QUrl>
#include <functional>
#include <memory>
#include <optional>

#include "engine/core/result.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

/// What a run began with: initial weights where all are empty.
struct RunOrigin {
  std::shared_ptr<const Weights> weights;    // of the document's file
  std::shared_ptr<const Checkpoint> states;  // the optimiser's, of those weights; null: there are none
  QUrl checkpoint;                           // the file it was resumed from
};

/// Lives on the GUI thread. Files are written and read one after the other on a thread of its own.
class RunFiles : public QObject {
  Q_OBJECT

 public:
  struct Saved {
    QUrl file;
    uint64_t step = 0;  // steps done
  };

  explicit RunFiles(QObject* parent = nullptr);
  ~RunFiles() override;  // waits for files that are being written or read; their `done` is called no more

  /// What is trained from now on is another run: checkpoints saved so far are none of its.
  void begin(RunOrigin origin);
  const RunOrigin& origin() const { return origin_; }
  /// The checkpoint of this run that was saved last.
  const std::optional<Saved>& saved() const { return saved_; }
  void forgetSaved() { saved_.reset(); }

  /// For Session::take_checkpoint: writes what it is given to a local file. `done` is called on the GUI thread: with
  /// ok, after saved() was set if this is still the same run; HW-R002 where nothing was trained yet; or the error of
  /// save_checkpoint. This outlives the sink.
  CheckpointSink writer(const QUrl& file, std::function<void(const Status&)> done);
  /// `done` gets the checkpoint in a local file, or the error of read_sound_checkpoint, on the GUI thread.
  void read(const QUrl& file, std::function<void(Result<Checkpoint>)> done);

 private:
  RunOrigin origin_;
  std::optional<Saved> saved_;
  int run_ = 0;  // counts runs: a checkpoint may be written when its run is over
  QThreadPool work_;
};

}  // namespace hw::app
