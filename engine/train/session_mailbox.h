// SessionMailbox: what crosses between a session's owner and its worker: requests in, snapshots out.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/train/run_snapshot.h"
#include "engine/train/session_requests.h"

namespace hw {

/// Each order to forget begins a generation, whose first snapshot is empty. What the worker publishes before it has
/// taken that order is of an earlier generation, and dropped.
class SessionMailbox {
 public:
  SessionMailbox();

  // ---- The owner's side: any thread.

  /// `change` gets the requests that the worker has not taken yet.
  template <class F>
  void post(F&& change) {
    {
      const std::lock_guard lock(mutex_);
      change(requests_);
      busy_ = true;
    }
    wake_.notify_all();
  }
  /// The same for an order to forget.
  template <class F>
  void post_anew(F&& change) {
    post([&](SessionRequests& requests) {
      requests.drop_all();
      begin_generation();
      change(requests);
    });
  }
  /// take() gives nothing any more.
  void quit();
  std::shared_ptr<const RunSnapshot> snapshot() const;
  /// Blocks until the worker has taken all and waits for more.
  void wait();

  // ---- The worker's side: its thread alone.

  struct Taken {
    SessionRequests requests;
    uint64_t generation = 0;
  };
  /// All that was asked for since the last call; where nothing was, `runs` false waits for it. None: quit.
  std::optional<Taken> take(bool runs);
  /// What is published from now on is of the generation that was taken.
  void enter(uint64_t generation) { entered_ = generation; }
  void publish(std::shared_ptr<const RunSnapshot> snapshot);
  /// A failure for want of memory; needs none.
  void publish_out_of_memory() noexcept;
  /// Whether a request that waits ends what runs.
  bool asks_to_stop() const;

 private:
  /// Under the mutex.
  void begin_generation();

  mutable std::mutex mutex_;  // guards the rest, but for entered_
  std::condition_variable wake_, settled_;
  SessionRequests requests_;
  std::shared_ptr<const RunSnapshot> snapshot_;
  const std::shared_ptr<const RunSnapshot> out_of_memory_;  // made in advance
  bool quit_ = false;
  bool busy_ = false;
  uint64_t generation_ = 0;
  uint64_t entered_ = 0;  // worker only
};

}  // namespace hw
