#include "engine/train/run_checkpoints.h"

namespace hw {

void RunCheckpoints::hand_out(std::shared_ptr<const Checkpoint> checkpoint) {
  newest_ = checkpoint->step;
  sink_(std::move(checkpoint));
}

void RunCheckpoints::move(const MovedNodes& moved) {
  if (!from_) return;
  auto now = std::make_shared<Checkpoint>(*from_);
  move_nodes(*now, moved);
  from_ = std::move(now);
}

void RunCheckpoints::forget() {
  newest_.reset();
  go_on_from(nullptr);
}

}  // namespace hw
