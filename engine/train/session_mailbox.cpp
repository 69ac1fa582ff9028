#include "engine/train/session_mailbox.h"

#include <utility>

#include "engine/core/codes.h"

namespace hw {

static std::shared_ptr<const RunSnapshot> out_of_memory() {
  auto s = std::make_shared<RunSnapshot>();
  s->state = RunState::failed;
  s->losses = std::make_shared<const std::vector<float>>();
  s->error = Error{codes::out_of_memory, "", "there is not enough memory.", "Close other programs; then reset."};
  return s;
}

SessionMailbox::SessionMailbox() : snapshot_(std::make_shared<RunSnapshot>()), out_of_memory_(out_of_memory()) {}

void SessionMailbox::begin_generation() {
  snapshot_ = std::make_shared<RunSnapshot>();
  ++generation_;
}

void SessionMailbox::quit() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
}

std::shared_ptr<const RunSnapshot> SessionMailbox::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void SessionMailbox::wait() {
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [&] { return !busy_; });
}

std::optional<SessionMailbox::Taken> SessionMailbox::take(bool runs) {
  std::unique_lock lock(mutex_);
  if (!runs && !requests_.any()) {
    busy_ = false;
    settled_.notify_all();
    wake_.wait(lock, [&] { return quit_ || requests_.any(); });
  }
  if (quit_) return std::nullopt;
  return Taken{std::exchange(requests_, {}), generation_};
}

void SessionMailbox::publish(std::shared_ptr<const RunSnapshot> snapshot) {
  const std::lock_guard lock(mutex_);
  if (entered_ == generation_) snapshot_ = std::move(snapshot);
}

void SessionMailbox::publish_out_of_memory() noexcept {
  const std::lock_guard lock(mutex_);
  if (entered_ == generation_) snapshot_ = out_of_memory_;
}

bool SessionMailbox::asks_to_stop() const {
  const std::lock_guard lock(mutex_);
  return requests_.stop || requests_.reset;
}

}  // namespace hw
