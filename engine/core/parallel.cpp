// The pools behind parallel_for: workers stay alive, take indices from one counter, and sleep when there is no job.
#include "engine/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace hw {
namespace {

thread_local bool t_inside = false;  // this thread runs a body: nested calls stay on it

thread_local ThreadPool* t_own = nullptr;  // the pool of this thread, or that it is of; null: the process'

std::atomic<bool> g_background{false};

/// What a thread that gives way is lowered by (setpriority). One that is wanted on screen goes first at once, and
/// beside other programs this one still has a third of what each of them has, not the hundredth that 19 would leave.
constexpr int kNice = 5;

/// Lowers this thread once, if that was asked for.
void give_way() {
#ifdef __linux__
  thread_local bool t_lowered = false;
  if (t_lowered || !g_background.load(std::memory_order_relaxed)) return;
  t_lowered = true;
  if (gettid() != getpid()) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
#endif
}

struct Job {
  const std::function<void(int64_t)>* body;
  int64_t count;
  std::atomic<int64_t> next{0};
  std::atomic_flag failed{};
  std::exception_ptr thrown{};  // by the first body that threw; read when nobody works any more

  void work() noexcept {
    give_way();
    t_inside = true;
    try {
      for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) (*body)(i);
    } catch (...) {
      next.store(count, std::memory_order_relaxed);  // what was not begun is left
      if (!failed.test_and_set()) thrown = std::current_exception();
    }
    t_inside = false;
  }
};

}  // namespace

class ThreadPool {
 public:
  explicit ThreadPool(int count) { resize(count); }
  ~ThreadPool() { stop_workers(); }

  int threads() const { return threads_.load(std::memory_order_relaxed); }

  void resize(int count) {
    const std::lock_guard<std::mutex> call(call_mutex_);
    if (count == threads()) return;
    stop_workers();
    threads_ = 1;
    stop_ = false;
    try {
      workers_.reserve(static_cast<size_t>(count));
      for (; threads_ < count; ++threads_) workers_.emplace_back([this] { worker(); });
    } catch (const std::exception&) {  // the system has no more threads, or no memory: those that there are do it
    }
  }

  void run(int64_t count, const std::function<void(int64_t)>& body) {
    const std::lock_guard<std::mutex> call(call_mutex_);
    Job job{&body, count};
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      job_ = &job;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    job.work();
    // Workers end soon after one another: sleeping until then would cost more than the wait.
    for (int spin = 0; spin < kSpins && joined_.load(std::memory_order_acquire) != 0; ++spin) pause();
    std::unique_lock<std::mutex> lock(mutex_);
    job_ = nullptr;  // a worker that wakes up late finds nothing to join
    done_.wait(lock, [this] { return joined_ == 0; });
    lock.unlock();
    if (job.thrown) std::rethrow_exception(job.thrown);
  }

 private:
  void worker() {
    t_own = this;
    uint64_t seen = 0;
    while (true) {
      // A short spin saves the wake-up between two calls that follow each other closely.
      for (int spin = 0; spin < kSpins && generation_.load(std::memory_order_acquire) == seen; ++spin) pause();
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || generation_.load(std::memory_order_relaxed) != seen; });
      if (stop_) return;
      seen = generation_.load(std::memory_order_relaxed);
      Job* job = job_;
      if (!job) continue;
      ++joined_;
      lock.unlock();
      job->work();
      lock.lock();
      if (--joined_ == 0) done_.notify_one();
    }
  }

  static constexpr int kSpins = 5000;  // some tenths of a millisecond at most
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void stop_workers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
    workers_.clear();
  }

  std::mutex call_mutex_;  // one caller at a time
  std::atomic<int> threads_{1};
  std::mutex mutex_;  // guards job_, stop_, and changes of joined_
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  std::atomic<int> joined_{0};
  bool stop_ = false;
  std::atomic<uint64_t> generation_{0};
  std::vector<std::thread> workers_;
};

namespace {

/// The one that serves this thread.
ThreadPool& pool() {
  if (t_own) return *t_own;
  static ThreadPool of_process(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  return of_process;
}

}  // namespace

int thread_count() {
  return pool().threads();
}

void set_thread_count(int count) {
  assert(count >= 1 && !t_inside);
  pool().resize(std::max(1, count));
}

OwnThreads::OwnThreads(int count) {
  if (count <= 0) return;
  pool_ = std::make_unique<ThreadPool>(count);
  before_ = std::exchange(t_own, pool_.get());
}

OwnThreads::~OwnThreads() {
  if (!pool_) return;
  assert(t_own == pool_.get());
  t_own = before_;
}

int usable_threads() {
  return t_inside ? 1 : thread_count();
}

void use_background_priority() {
  g_background = true;
}

void parallel_for(int64_t count, const std::function<void(int64_t)>& body) {
  if (count <= 0) return;
  if (t_inside || count == 1 || thread_count() == 1) {
    give_way();
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  pool().run(count, body);
}

void parallel_tasks(int64_t count, int threads, const std::function<void(int64_t)>& body) {
  if (t_inside || count <= 1 || threads <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  Job job{&body, count};
  {
    std::vector<std::jthread> others;
    try {
      for (int64_t t = 1; t < std::min<int64_t>(threads, count); ++t)
        others.emplace_back([&job, own = t_own] {
          t_own = own;
          job.work();
        });
    } catch (const std::system_error&) {  // the system has no more threads: those that there are do it
    }
    job.work();
  }
  if (job.thrown) std::rethrow_exception(job.thrown);
}

}  // namespace hw
