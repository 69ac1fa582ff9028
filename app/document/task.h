// Work on a pool of threads. What it throws ends there, and comes back as an Error.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <utility>

#include "engine/core/exceptions.h"

namespace hw::app {

/// Runs `work` on a thread of `pool`. Of what it throws, `failed` gets the Error on the thread of `receiver`, which
/// waits for the pool before it is destroyed. Both are copied.
template <class Work, class Failed>
void start_task(QThreadPool& pool, QObject* receiver, Work work, Failed failed) {
  pool.start([receiver, work = std::move(work), failed = std::move(failed)]() mutable {
    try {
      work();
    } catch (...) {
      QMetaObject::invokeMethod(
          receiver, [failed, error = error_of_exception()] { failed(error); }, Qt::QueuedConnection);
    }
  });
}

}  // namespace hw::app
