// Work on a pool of threads, and what comes of it on another thread. What work throws ends there, and comes back as an
// Error.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/core/exceptions.h"

namespace hw::app {

/// Calls `call`, and again after a pause where there is no memory for it: where the failure cannot be reported, or a
/// caller waits for the result. Any thread.
template <class Call>
void with_patience(const Call& call) {
  constexpr std::chrono::milliseconds pause{1};
  while (true) {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(pause);
    }
  }
}

/// Calls `call`, a copy of it or a function of the receiver, on the thread of `receiver`, from its event loop. Any
/// thread. With patience: a caller waits for the result.
template <class Receiver, class Call>
void post(Receiver* receiver, const Call& call) {
  with_patience([&] { QMetaObject::invokeMethod(receiver, call, Qt::QueuedConnection); });
}

/// Runs `work` on a thread of `pool`. Of what it throws, `failed` gets the Error on the thread of `receiver`, which
/// waits for the pool before it is destroyed.
template <class Work, class Failed>
void start_task(QThreadPool& pool, QObject* receiver, Work work, Failed failed) {
  struct Task {
    Work work;
    Failed failed;
    Error error = {};
  };
  // One that both threads have: on the way back nothing is copied, which may ask for memory.
  const auto task = std::make_shared<Task>(Task{std::move(work), std::move(failed)});
  pool.start([receiver, task] {
    try {
      task->work();
    } catch (...) {
      task->error = error_of_exception();
      post(receiver, [task] { task->failed(task->error); });
    }
  });
}

/// Runs `work`, which returns a Result, on a thread of `pool`; `then` gets it on the thread of `receiver`, which waits
/// for the pool before it is destroyed.
template <class Work, class Then>
void start_work(QThreadPool& pool, QObject* receiver, Work work, Then then) {
  struct Task {
    Work work;
    Then then;
    std::optional<std::invoke_result_t<Work>> result = {};
  };
  const auto task = std::make_shared<Task>(Task{std::move(work), std::move(then)});
  pool.start([receiver, task] {
    task->result.emplace(guarded(task->work));
    post(receiver, [task] { task->then(std::move(*task->result)); });
  });
}

}  // namespace hw::app
