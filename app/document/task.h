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

/// Calls `call`, a copy of it or a function of the receiver, on the thread of `receiver`, from its event loop. Any
/// thread. Waits where there is no memory for the message: somebody waits for what was done.
template <class Receiver, class Call>
void post(Receiver* receiver, const Call& call) {
  constexpr std::chrono::milliseconds pause{10};
  while (true) {
    try {
      QMetaObject::invokeMethod(receiver, call, Qt::QueuedConnection);
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(pause);
    }
  }
}

/// Runs `work` on a thread of `pool`. Of what it throws, `failed` gets the Error on the thread of `receiver`, which
/// waits for the pool before it is destroyed. Both are copied.
template <class Work, class Failed>
void start_task(QThreadPool& pool, QObject* receiver, Work work, Failed failed) {
  pool.start([receiver, work = std::move(work), failed = std::move(failed)]() mutable {
    try {
      work();
    } catch (...) {
      post(receiver, [failed, error = error_of_exception()] { failed(error); });
    }
  });
}

/// Runs `work`, which returns a Result, on a thread of `pool`; `then` gets it on the thread of `receiver`, which waits
/// for the pool before it is destroyed. Both are copied.
template <class Work, class Then>
void start_work(QThreadPool& pool, QObject* receiver, Work work, Then then) {
  const auto result = std::make_shared<std::optional<std::invoke_result_t<Work>>>();
  pool.start([receiver, result, work = std::move(work), then = std::move(then)] {
    result->emplace(guarded(work));
    post(receiver, [result, then] { then(std::move(**result)); });
  });
}

}  // namespace hw::app
