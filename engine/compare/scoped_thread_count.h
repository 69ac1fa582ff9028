// The process' number of threads, changed for a while.
#pragma once

#include <mutex>

#include "engine/core/parallel.h"

namespace hw {

/// As long as it lives; 0: as it was. Others that ask for a number wait until it is gone; what else runs meanwhile,
/// such as a training, runs with it too.
class ScopedThreadCount {
 public:
  explicit ScopedThreadCount(int count) {
    if (count <= 0) return;
    lock_ = std::unique_lock(one_at_a_time());
    before_ = thread_count();
    set_thread_count(count);
  }
  ~ScopedThreadCount() {
    if (lock_.owns_lock()) set_thread_count(before_);
  }
  ScopedThreadCount(const ScopedThreadCount&) = delete;
  ScopedThreadCount& operator=(const ScopedThreadCount&) = delete;

 private:
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }
  std::unique_lock<std::mutex> lock_;
  int before_ = 0;
};

}  // namespace hw
