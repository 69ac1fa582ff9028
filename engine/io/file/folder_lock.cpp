#include "engine/io/file/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "engine/core/codes.h"
#include "engine/core/descriptor.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/system_error.h"

namespace hw {
namespace {

constexpr char kName[] = ".halfwire.lock";

/// "process 4711 on host".
std::string this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"an unnamed host"};
  return "process " + std::to_string(::getpid()) + " on " + host.data();
}

std::string text_of(int descriptor) {
  std::array<char, 400> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<size_t>(size)) : "another process";
}

/// Whether the path still is the open file: whoever held it before removes it as it lets go.
bool is_still(const std::filesystem::path& file, int descriptor) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  FolderLock lock;
  lock.file_ = folder / kName;
  while (true) {
    lock.descriptor_ = ::open(lock.file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock.descriptor_ < 0) return unwritable(lock.file_, errno);
    if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      const Fd others(std::exchange(lock.descriptor_, -1));  // it is not this one's to remove, whatever fails
      if (reason != EWOULDBLOCK) return unwritable(lock.file_, reason);
      return Error{codes::file_unwritable, folder.string(),
                   "another run writes into this folder: " + text_of(others.get()) + ".",
                   "Wait for it, stop it, or name another folder."};
    }
    if (is_still(lock.file_, lock.descriptor_)) break;
    ::close(std::exchange(lock.descriptor_, -1));
  }
  if (::ftruncate(lock.descriptor_, 0) != 0 || !write_all(lock.descriptor_, this_process()))
    return unwritable(lock.file_, errno);
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  file_ = std::move(other.file_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

FolderLock::~FolderLock() {
  release();
}

void FolderLock::release() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // while it is held: it is never another process's
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace hw
