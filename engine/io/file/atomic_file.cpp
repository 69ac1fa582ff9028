// Temporary file beside the target, fsync, rename, fsync of the folder: readers see the old bytes or the new, never
// a part. A link is followed, permissions of an existing file are kept.
#include "engine/io/file/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/core/codes.h"
#include "engine/core/descriptor.h"
#include "engine/io/file/system_error.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// Owns a descriptor and, until kept, the temporary file behind it.
class TempFile {
 public:
  explicit TempFile(const fs::path& target) {
    path_ = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (fd_ < 0) path_.clear();
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() {
    close();
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  int fd() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }
  bool rename_to(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::string path_;
  int fd_ = -1;
};

/// The permissions of the file that is replaced, else what the umask leaves.
mode_t mode_for(const fs::path& target) {
  struct stat old;
  if (::stat(target.c_str(), &old) == 0) return old.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);  // some file systems refuse this for folders; the file itself is safe already
  ::close(fd);
}

}  // namespace

Status write_pieces_atomically(const fs::path& file, std::span<const std::string_view> pieces) {
  const auto failed = [&](int why) { return unwritable(file, why); };
  std::error_code ec;
  fs::path target = fs::absolute(file, ec);
  if (fs::is_symlink(target, ec)) {
    const fs::path real = fs::weakly_canonical(target, ec);
    if (!ec) target = real;
  }
  if (target.filename().empty() || fs::is_directory(target, ec)) return failed(EISDIR);
  if (fs::exists(target, ec) && !fs::is_regular_file(target, ec)) {
    return Error{codes::file_unwritable, file.string(), "this is not a regular file.", "Save elsewhere."};
  }
  // rename would replace a write-protected file; a user who protected it means it.
  if (fs::exists(target, ec) && ::access(target.c_str(), W_OK) != 0) return failed(errno);

  TempFile temp(target);
  if (temp.fd() < 0) return failed(errno);
  for (const std::string_view piece : pieces) {
    if (!write_all(temp.fd(), piece)) return failed(errno);
  }
  if (::fchmod(temp.fd(), mode_for(target)) != 0) return failed(errno);
  if (::fsync(temp.fd()) != 0) return failed(errno);
  if (!temp.close()) return failed(errno);
  const fs::path folder =
      target.parent_path();  // a failed allocation once the file is there would report that there is none
  if (!temp.rename_to(target)) return failed(errno);
  sync_folder(folder);
  return ok();
}

Status write_file_atomically(const fs::path& file, std::string_view bytes) {
  return write_pieces_atomically(file, {&bytes, 1});
}

}  // namespace hw
