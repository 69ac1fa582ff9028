// The process' number of threads, changed for a while.
#pragma once

#include "engine/core/parallel.h"

namespace hw {

/// As long as it lives; 0: as it was. One at a time.
class WithThreads {
 public:
  explicit WithThreads(int count) : before_(thread_count()) {
    if (count > 0) set_thread_count(count);
  }
  ~WithThreads() { set_thread_count(before_); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;

 private:
  int before_;
};

}  // namespace hw
