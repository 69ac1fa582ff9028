#include "app/document/learnt_weights.h"

#include "app/workspace/weights_beside.h"

namespace hw::app {
namespace {

/// What was promised, or null where no owner is left to keep it.
std::shared_ptr<const Checkpoint> kept(const std::shared_future<std::shared_ptr<const Checkpoint>>& states) {
  try {
    return states.get();
  } catch (const std::future_error&) {
    return nullptr;
  }
}

}  // namespace

Learnt LearntWeights::learnt() const {
  const std::shared_ptr<const Checkpoint> now = kept(states);
  return {now && now->weights ? now->weights : weights, now};
}

Result<LearntWeights::Written> LearntWeights::write(const std::filesystem::path& file) const {
  const auto [learnt, now] = this->learnt();
  if (!learnt) return Written{};  // a run's first step is still to come
  HW_CHECK(workspace::save_weights_beside(flat, *learnt, keepsOptimiser ? now.get() : nullptr, file));
  return Written{true, now ? now->step : 0};
}

}  // namespace hw::app
