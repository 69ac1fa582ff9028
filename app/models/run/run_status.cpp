#include "app/models/run/run_status.h"

#include <utility>

namespace hw::app {

bool RunStatus::take(const RunSnapshot& run) {
  const bool runs = run.state == RunState::running || run.state == RunState::preparing;
  if (!runs) ending_.clear();
  if (runs || run.state == RunState::paused) dismissed_ = false;
  const RunState now = state(run);
  return std::exchange(shown_, now) != now;
}

bool RunStatus::dismiss(const RunSnapshot& run) {
  if (!run.error || std::exchange(dismissed_, true)) return false;
  shown_ = state(run);
  return true;
}

bool RunStatus::takeError(const Error& error) {
  if (error.code == reported_.code && error.where == reported_.where && error.reason == reported_.reason) return false;
  reported_ = error;
  return true;
}

}  // namespace hw::app
