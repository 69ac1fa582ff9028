// Shared: a value whose copies lie in one place.
#pragma once

#include <memory>
#include <utility>

namespace hw {

/// Never empty and never changed: copies cost a pointer, whatever T holds, and may be read by several
/// threads.
template <typename T>
class Shared {
 public:
  Shared() : value_(std::make_shared<const T>()) {}
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: it is a T
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// Calls `edit` with a copy, which is held from then on.
  template <typename Edit>
  void change(const Edit& edit) {
    T copy = *value_;
    edit(copy);
    *this = Shared(std::move(copy));
  }
  bool operator==(const Shared& other) const { return value_ == other.value_ || *value_ == *other.value_; }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace hw
