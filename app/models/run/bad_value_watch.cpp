#include "app/models/run/bad_value_watch.h"

#include <utility>

#include "engine/train/first_bad_value.h"

namespace hw::app {

BadValueWatch::BadValueWatch(std::function<void(std::shared_ptr<TrainingWatch>)> set) : set_(std::move(set)) {}

bool BadValueWatch::setHalts(bool on) {
  if (std::exchange(halts_, on) == on) return false;
  if (!searching_) set_(on ? watch_for_bad_values() : nullptr);
  return true;
}

void BadValueWatch::beginSearch() {
  searching_ = true;
  set_(watch_for_bad_values());
}

bool BadValueWatch::endSearch() {
  if (!std::exchange(searching_, false)) return false;
  if (!halts_) set_(nullptr);
  return true;
}

}  // namespace hw::app
