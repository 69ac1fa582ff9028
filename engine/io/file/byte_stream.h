// Numbers, texts and arrays as bytes between a child and its parent on one machine: numbers as they are in memory,
// texts and arrays as a u64 count and their elements.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hw {

/// Writes to a file descriptor.
class ByteWriter {
 public:
  explicit ByteWriter(int fd) : fd_(fd) {}

  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes(&value, sizeof value);
  }
  void text(const std::string& value) { block(value.data(), value.size()); }
  void texts(const std::vector<std::string>& values) {
    number<uint64_t>(values.size());
    for (const std::string& value : values) text(value);
  }
  template <class T>
  void array(const std::vector<T>& values) {
    number<uint64_t>(values.size());
    bytes(values.data(), values.size() * sizeof(T));
  }
  /// `size` bytes behind their count.
  void block(const void* data, size_t size) {
    number<uint64_t>(size);
    bytes(data, size);
  }
  bool finish() { return flush(), ok_; }

 private:
  void bytes(const void* data, size_t size) {
    buffer_.append(static_cast<const char*>(data), size < kLarge ? size : 0);
    if (size >= kLarge || buffer_.size() >= kLarge) flush();
    if (size >= kLarge) put(static_cast<const char*>(data), size);
  }
  void flush() {
    put(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  void put(const char* data, size_t size) {
    while (ok_ && size > 0) {
      const ssize_t n = ::write(fd_, data, size);
      if (n < 0 && errno == EINTR) continue;
      ok_ = n > 0;
      if (!ok_) return;
      data += n;
      size -= static_cast<size_t>(n);
    }
  }
  static constexpr size_t kLarge = 1 << 16;
  int fd_;
  bool ok_ = true;
  std::string buffer_;
};

/// After the first misfit everything reads as zero or empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

  template <class T>
  T number() {
    T value{};
    if (const auto piece = take(sizeof value); good_) std::memcpy(&value, piece.data(), sizeof value);
    return value;
  }
  template <class T>
  void number(T& value) {
    value = number<T>();
  }
  /// A count of elements that take at least `size` bytes each.
  size_t count(size_t size) {
    const auto n = number<uint64_t>();
    if (n > rest_.size() / size) good_ = false;
    return good_ ? static_cast<size_t>(n) : 0;
  }
  /// Bytes behind their count, where they lie.
  std::string_view block() { return take(count(1)); }
  void text(std::string& value) { value = std::string(block()); }
  void texts(std::vector<std::string>& values) {
    values.resize(count(sizeof(uint64_t)));
    for (std::string& value : values) text(value);
  }
  template <class T>
  void array(std::vector<T>& values) {
    const size_t n = count(sizeof(T));
    const auto piece = take(n * sizeof(T));
    values.resize(n);
    if (n > 0) std::memcpy(values.data(), piece.data(), piece.size());
  }

 private:
  std::string_view take(size_t size) {
    if (size > rest_.size()) good_ = false;
    if (!good_) return {};
    const auto piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return piece;
  }
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace hw
