// Fd: a file descriptor that has an owner; whole writes and reads.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace hw {

/// Closes it. −1: none.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Writes where the file stands, also in parts and after signals. False: errno says why.
bool write_all(int descriptor, std::string_view bytes);
/// A file from its begin, as far as it can be read.
std::string read_all(int descriptor);

}  // namespace hw
