// One thread that runs tasks in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace hw::viewport {

class Worker {
 public:
  Worker();
  /// Drops waiting tasks and joins; waits for the running one, which should ask `stopping`.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Any thread. Tasks posted after `stop` are dropped.
  void post(std::function<void()> task);
  void stop();
  bool stopping() const;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace hw::viewport
