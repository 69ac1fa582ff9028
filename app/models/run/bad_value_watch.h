// BadValueWatch: when a session is watched for Inf and NaN: while the user wants that, and while one is searched for.
#pragma once

#include <functional>
#include <memory>

#include "engine/train/training_watch.h"

namespace hw::app {

class BadValueWatch {
 public:
  /// `set`: gives the session a watch, or takes it away: null (Session::watch).
  explicit BadValueWatch(std::function<void(std::shared_ptr<TrainingWatch>)> set);

  /// The user wants every run to end at the first Inf or NaN.
  bool halts() const { return halts_; }
  /// Whether that is another wish than before. While one is searched for the watch stays as it is.
  bool setHalts(bool on);
  bool searching() const { return searching_; }
  /// What runs from the next start on is watched.
  void beginSearch();
  /// The watch stays where the user wants it. False: no search was going on.
  bool endSearch();

 private:
  const std::function<void(std::shared_ptr<TrainingWatch>)> set_;
  bool halts_ = false, searching_ = false;
};

}  // namespace hw::app
