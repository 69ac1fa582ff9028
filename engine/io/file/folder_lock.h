// FolderLock: one run at a time writes into a folder.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/result.h"

namespace hw {

/// Holds a folder by an flock on `.halfwire.lock` inside it, which names the holder; gone with the process, however it
/// ends. Moves, does not copy.
class FolderLock {
 public:
  /// Error HW-F002: another process, or another lock of this one, holds it, with its process id and host; or the lock's
  /// file cannot be written.
  static Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock() = default;
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  void release();
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace hw
