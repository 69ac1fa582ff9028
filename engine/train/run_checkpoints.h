// RunCheckpoints: the checkpoint that a session goes on from, and those that it hands out. Single threaded: the
// session's worker.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/train/checkpoint.h"

namespace hw {

/// No step is handed out twice.
class RunCheckpoints {
 public:
  /// One whenever the step is a multiple of `every`, and when a run ends or stops; 0: never.
  void set_every(uint64_t every, CheckpointSink sink) {
    every_ = every;
    sink_ = std::move(sink);
  }
  uint64_t every() const { return every_; }
  /// Whether one is handed out after `step` steps, while the run goes on.
  bool is_due(uint64_t step) const { return every_ > 0 && step % every_ == 0; }
  /// Whether that of `step` is still to be handed out.
  bool lacks(uint64_t step) const { return every_ > 0 && newest_ != step; }
  void hand_out(std::shared_ptr<const Checkpoint> checkpoint);
  /// That of `step` is there: the run was restored from it.
  void are_there(uint64_t step) { newest_ = step; }

  /// The next start goes on from it, until one has; null: it begins anew.
  void go_on_from(std::shared_ptr<const Checkpoint> checkpoint) {
    from_ = std::move(checkpoint);
    leaves_device_ = false;
  }
  /// The same of what this session trained on another device; where it does not fit, the run begins anew.
  void leave_device(std::shared_ptr<const Checkpoint> checkpoint) {
    from_ = std::move(checkpoint);
    leaves_device_ = true;
  }
  const std::shared_ptr<const Checkpoint>& from() const { return from_; }
  bool leaves_device() const { return leaves_device_; }
  /// Under the new names of nodes that moved.
  void move(const MovedNodes& moved);
  /// What follows belongs to another training; `every` stays.
  void forget();

 private:
  uint64_t every_ = 0;
  CheckpointSink sink_;
  std::optional<uint64_t> newest_;  // step
  std::shared_ptr<const Checkpoint> from_;
  bool leaves_device_ = false;
};

}  // namespace hw
