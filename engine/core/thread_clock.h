// Clocks: wall time, and processor time of the calling thread, which does not depend on other load.
#pragma once

#include <chrono>
#include <ctime>

namespace hw {

/// Seconds of a monotonic clock: some ten nanoseconds to read.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that this thread has run; waiting for a core, a lock or a device does not count. A system call: about a
/// microsecond. Where the system has no such clock, the steady one's.
inline double thread_seconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
#else
  return steady_seconds();
#endif
}

}  // namespace hw
