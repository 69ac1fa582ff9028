#include "engine/train/run_snapshot.h"

namespace hw {

std::string_view name(RunState state) {
  constexpr std::string_view names[] = {"idle", "preparing", "running", "paused", "finished", "failed"};
  return names[static_cast<size_t>(state)];
}

}  // namespace hw
