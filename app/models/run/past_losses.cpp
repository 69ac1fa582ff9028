#include "app/models/run/past_losses.h"

#include <utility>

namespace hw::app {
namespace {

constexpr size_t kRuns = 4;

}  // namespace

void PastLosses::keep(Losses losses) {
  if (!losses || losses->empty()) return;
  all_.push_back(std::move(losses));
  if (all_.size() > kRuns) all_.pop_front();
}

}  // namespace hw::app
