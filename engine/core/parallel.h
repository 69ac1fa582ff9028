// parallel_for over a pool of threads, the process' or a thread's own; parallel_tasks beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hw {

class ThreadPool;

/// Threads that parallel_for called here uses, including the caller: those of the process, unless OwnThreads says
/// otherwise. Default: all cores. Set before or between parallel_for calls.
int thread_count();
void set_thread_count(int count);
/// Threads that a parallel_for called here would run on at most: 1 inside a body, else thread_count().
int usable_threads();

/// From now on, threads that run parallel_for bodies (the pool's and its callers, but never the main thread) give way
/// to the rest of the desktop: nice 5 on Linux, elsewhere nothing. For programs with a window; cannot be undone.
void use_background_priority();

/// As long as it lives, parallel_for on this thread runs on `count` threads that nobody else uses, this one among them:
/// its calls wait for no other caller's, and no other thread sees the number. 0: as it was. Where the system has no
/// more threads they are fewer, as thread_count() says. Ends on the thread that made it, the latest one first.
class OwnThreads {
 public:
  explicit OwnThreads(int count);
  ~OwnThreads();
  OwnThreads(const OwnThreads&) = delete;
  OwnThreads& operator=(const OwnThreads&) = delete;

 private:
  std::unique_ptr<ThreadPool> pool_;  // null: as it was
  ThreadPool* before_ = nullptr;
};

/// Calls body(i) once for every i in [0, count), in any order, on up to thread_count() threads; returns when all are
/// done. The split never depends on the thread count. Nested calls run on the calling thread. What a body throws is
/// thrown here, the first of several, once no body runs any more; then some may not have been called.
/// Calls from several threads at once are served one after the other, but for those of threads with OwnThreads.
void parallel_for(int64_t count, const std::function<void(int64_t)>& body);

/// The same for bodies that run long, on up to `threads` threads that live as long as the call, the calling one among
/// them: nobody's parallel_for waits for it. With one thread or task, a body's own parallel_for calls are served by the
/// pool.
void parallel_tasks(int64_t count, int threads, const std::function<void(int64_t)>& body);

}  // namespace hw
