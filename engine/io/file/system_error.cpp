#include "engine/io/file/system_error.h"

#include <cerrno>
#include <cstring>

#include "engine/core/codes.h"

namespace hw {
namespace {

std::string reason_of(int why) {
  return std::string(std::strerror(why ? why : EIO)) + ".";
}

/// The remedy of what has nothing to do with the file; null where it has.
const char* remedy_elsewhere(int why) {
  switch (why) {
    case EMFILE:
    case ENFILE:
      return "Close documents or other programs, or allow more open files (ulimit -n).";
    case ENOMEM:
    case EAGAIN:
      return "Close other programs.";
    default:
      return nullptr;
  }
}

}  // namespace

Error unreadable(const std::filesystem::path& file, int why) {
  const char* remedy = remedy_elsewhere(why);
  if (!remedy) {
    const bool disk = why == 0 || why == EIO || why == ESTALE || why == ENXIO;
    remedy = disk ? "Check the disk." : why == ENOENT ? "Check the path." : "Check the path and its permissions.";
  }
  return {codes::file_unreadable, file.string(), reason_of(why), remedy};
}

Error unwritable(const std::filesystem::path& file, int why) {
  const char* remedy = remedy_elsewhere(why);
  if (!remedy) {
    if (why == ENOSPC || why == EDQUOT || why == EFBIG) {
      remedy = "Free some space or save elsewhere; the old file, if any, is unchanged.";
    } else if (why == EACCES || why == EPERM || why == EROFS) {
      remedy = "Save elsewhere or change the permissions.";
    } else if (why == ENOENT || why == ENOTDIR) {
      remedy = "Make the folder first or save elsewhere.";
    } else if (why == 0 || why == EIO || why == ESTALE) {
      remedy = "Check the disk, or save elsewhere; the old file, if any, is unchanged.";
    } else {
      remedy = "Save elsewhere.";
    }
  }
  return {codes::file_unwritable, file.string(), reason_of(why), remedy};
}

}  // namespace hw
