// parallel_for over a fixed pool of threads; parallel_tasks beside it.
#pragma once

#include <cstdint>
#include <functional>

namespace hw {

/// Threads the pool uses, including the caller. Default: all cores. Set before or between parallel_for calls.
int thread_count();
void set_thread_count(int count);
/// Threads that a parallel_for called here would run on at most: 1 inside a body, else thread_count().
int usable_threads();

/// From now on, threads that run parallel_for bodies (the pool's and its callers, but never the main thread) give way
/// to the rest of the desktop: nice 5 on Linux, elsewhere nothing. For programs with a window; cannot be undone.
void use_background_priority();

/// Calls body(i) once for every i in [0, count), in any order, on up to thread_count() threads; returns when all are
/// done. The split never depends on the thread count. Nested calls run on the calling thread. What a body throws is
/// thrown here, the first of several, once no body runs any more; then some may not have been called.
/// Calls from several threads at once are served one after the other.
void parallel_for(int64_t count, const std::function<void(int64_t)>& body);

/// The same for bodies that run long, on up to `threads` threads that live as long as the call, the calling one among
/// them: nobody's parallel_for waits for it. With one thread or task, a body's own parallel_for calls are served by the
/// pool.
void parallel_tasks(int64_t count, int threads, const std::function<void(int64_t)>& body);

}  // namespace hw
