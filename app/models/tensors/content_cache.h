// ContentCache: results by a key of what they were computed from; the least recently used go first.
#pragma once

#include <QByteArray>
#include <QHash>
#include <list>
#include <memory>
#include <mutex>

namespace hw::app {

/// Values are immutable and shared. At most `most` bytes, by what put() says of each; a value of more than half of that
/// is not kept. Thread safe.
template <class T>
class ContentCache {
 public:
  explicit ContentCache(size_t most) : most_(most) {}

  /// Null: not known, or no longer.
  std::shared_ptr<const T> find(const QByteArray& key) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.constFind(key);
    if (found == by_key_.cend()) return nullptr;
    order_.splice(order_.begin(), order_, *found);
    return (*found)->value;
  }
  void put(const QByteArray& key, std::shared_ptr<const T> value, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto old = by_key_.constFind(key); old != by_key_.cend()) drop(*old);
    if (bytes > most_ / 2) return;
    order_.push_front({key, std::move(value), bytes});
    by_key_.insert(key, order_.begin());
    bytes_ += bytes;
    while (bytes_ > most_) drop(std::prev(order_.end()));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    order_.clear();
    by_key_.clear();
    bytes_ = 0;
  }
  size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    QByteArray key;
    std::shared_ptr<const T> value;
    size_t bytes;
  };
  using Place = typename std::list<Entry>::iterator;
  void drop(Place entry) {
    bytes_ -= entry->bytes;
    by_key_.remove(entry->key);
    order_.erase(entry);
  }

  mutable std::mutex mutex_;
  const size_t most_;
  size_t bytes_ = 0;
  std::list<Entry> order_;  // most recently used first
  QHash<QByteArray, Place> by_key_;
};

}  // namespace hw::app
