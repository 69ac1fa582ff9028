// CheckpointWriter: writes checkpoints on a thread of its own and keeps the newest.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/io/checkpoint/checkpoint_file.h"

namespace hw {

/// Into one folder. Of the checkpoints of this run the newest kCheckpointsKept stay, and the newest sound one; others
/// are not touched.
class CheckpointWriter {
 public:
  static constexpr size_t kCheckpointsKept = 2;

  /// `step`: where the run starts; checkpoints in the folder up to there are of this run.
  CheckpointWriter(std::filesystem::path folder, uint64_t step);
  ~CheckpointWriter();  // writes what was handed over
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Returns at once, unless the one before the last is still being written: then waits, so that at most two lie in
  /// memory. Any thread.
  void write(std::shared_ptr<const Checkpoint> checkpoint);
  /// Waits until all is written. The first error of any, HW-F002; a later success does not take it back.
  Status finish();

 private:
  void loop();
  /// Temporary files of a run that was killed while it wrote.
  void remove_leftovers() const;
  void prune(uint64_t written, bool sound);

  const std::filesystem::path folder_;
  struct Own {
    CheckpointPlace place;
    bool sound;
  };
  std::deque<Own> own_;  // written or found, oldest first; worker thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const Checkpoint> next_;
  bool busy_ = false, quit_ = false;
  std::optional<Error> error_;
  std::thread thread_;
};

/// Refuses a folder that holds checkpoints beyond `step`: a run from there would mix with another's. Error HW-F002.
Status check_checkpoint_folder(const std::filesystem::path& folder, uint64_t step);

}  // namespace hw
