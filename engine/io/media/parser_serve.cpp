// The child's part: one request after the other, in a process that can reach nothing but what it is handed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>

#include "engine/core/codes.h"
#include "engine/core/descriptor.h"
#include "engine/io/child/child_process.h"
#include "engine/io/child/confine.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/parser_bytes.h"
#include "engine/io/media/parser_child.h"

namespace hw {
namespace {

constexpr size_t kMaxName = 1 << 15;  // bytes of a file's name

struct Asked {
  ParserRequest request;
  std::string name;
  Fd file, outcome;
};

/// Nothing: the parent has gone.
std::optional<Asked> next_request(int socket) {
  Asked asked;
  asked.name.resize(kMaxName);
  iovec parts[]{{&asked.request, sizeof asked.request}, {asked.name.data(), asked.name.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = std::size(parts);
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* files = CMSG_FIRSTHDR(&message);
  if (got < static_cast<ssize_t>(sizeof asked.request) || !files || files->cmsg_len != CMSG_LEN(2 * sizeof(int)))
    return std::nullopt;
  int both[2];
  std::memcpy(both, CMSG_DATA(files), sizeof both);
  asked.file = Fd(both[0]);
  asked.outcome = Fd(both[1]);
  asked.name.resize(static_cast<size_t>(got) - sizeof asked.request);
  return asked;
}

/// More processor time and memory than so far, for a file of that size.
void allow(int file, uint64_t memory) {
  struct stat status {};
  const uint64_t bytes = ::fstat(file, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto spent = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  child::limit(RLIMIT_CPU, spent + 1 + child::seconds_for(bytes), RLIM_INFINITY);
  if (!child::kSanitizer) child::limit(RLIMIT_AS, address_limit(memory), RLIM_INFINITY);
}

Result<Image> picture_of(int fd, const std::string& name, uint64_t memory) {
  const auto error = [&](const std::string& reason) {
    return Error{codes::asset_unreadable, name, reason, "Check the disk, or use a smaller picture."};
  };
  struct stat status {};
  if (::fstat(fd, &status) != 0) return error(std::string(std::strerror(errno)) + ".");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > kMaxPictureBytes)
    return error("the file has " + std::to_string(size) + " bytes; the limit is " + std::to_string(kMaxPictureBytes) +
                 ".");
  std::string bytes(static_cast<size_t>(size), '\0');
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = ::pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(std::string(std::strerror(errno)) + ".");
    if (got == 0) break;
    at += static_cast<size_t>(got);
  }
  bytes.resize(at);
  return decode_image(bytes, name, Turned::upright, memory);
}

}  // namespace

Parsers own_parsers() {
  return {picture_of, decode_sound};
}

int serve_parsers(int fd, const Parsers& parsers) {
  ::close_range(static_cast<unsigned>(fd) + 1, ~0u, 0);
  child::limit(RLIMIT_CORE, 0, 0);
  child::limit(RLIMIT_FSIZE, child::kMaxOutcome, child::kMaxOutcome);
  confine({});
  try {
    while (const auto asked = next_request(fd)) {
      allow(asked->file.get(), asked->request.memory);
      const bool written = asked->request.kind == ParserRequest::Kind::picture
                               ? write_outcome(asked->outcome.get(),
                                               parsers.picture(asked->file.get(), asked->name, asked->request.memory))
                               : write_outcome(asked->outcome.get(),
                                               parsers.sound(asked->file.get(), asked->name, asked->request.sound));
      if (!written) return child::kExitNotWritten;
      if (::write(fd, "", 1) != 1) return 1;
    }
    return 0;
  } catch (const std::bad_alloc&) {
    return child::kExitNoMemory;
  }
}

}  // namespace hw
