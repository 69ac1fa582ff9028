// The parent's part: children that wait for files, each asked by one thread at a time.
#include "engine/io/media/parser_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core/codes.h"
#include "engine/core/descriptor.h"
#include "engine/core/memory.h"
#include "engine/io/child/child_process.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/media/image_file.h"
#include "engine/io/media/parser_bytes.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kMaxIdle = 2;
constexpr std::chrono::seconds kLastWait(5);  // for a child that has hung up, to end

/// A child that waits for files; it ends with this.
class Parser {
 public:
  static Result<std::unique_ptr<Parser>> start(const fs::path& program, const fs::path& file) {
    auto parser = std::make_unique<Parser>();  // before there is anything to close: memory may be lacking
    parser->program_ = program;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return child::cannot_run(program, file, errno);
    parser->socket_ = Fd(ends[0]);
    const Fd theirs(ends[1]);
    if (const int error = child::start({program.string(), "parse-files"}, theirs.get(), parser->pid_)) {
      parser->pid_ = -1;
      return child::cannot_run(program, file, error);
    }
    return parser;
  }
  Parser() = default;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    end();
  }

  const fs::path& program() const { return program_; }
  bool has_served() const { return served_ > 0; }
  /// Whether it waits still: something else may have ended it.
  bool is_there() {
    pollfd socket{socket_.get(), POLLIN, 0};
    return ::poll(&socket, 1, 0) == 0;
  }

  /// Whether it has answered; else it has ended, as `status` and `ended` say.
  bool ask(const ParserRequest& request, const std::string& name, int file, int outcome, Clock::duration limit,
           int& status, child::Ended& ended) {
    ended = child::Ended::itself;
    if (send(request, name, file, outcome)) {
      const auto deadline = Clock::now() + limit;
      while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd socket{socket_.get(), POLLIN, 0};
        const int ready = left > 0 ? ::poll(&socket, 1, static_cast<int>(std::min<int64_t>(left, 60'000))) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0 && left > 0) continue;
        if (ready == 0) {
          ended = child::Ended::by_time;
          ::kill(pid_, SIGKILL);
        }
        char done = 0;
        if (ready > 0 && ::recv(socket_.get(), &done, 1, 0) == 1) return ++served_, true;
        break;
      }
    }
    status = end();
    return false;
  }

 private:
  bool send(const ParserRequest& request, const std::string& name, int file, int outcome) {
    ParserRequest head = request;
    iovec parts[]{{&head, sizeof head}, {const_cast<char*>(name.data()), name.size()}};
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* files = CMSG_FIRSTHDR(&message);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(2 * sizeof(int));
    const int both[]{file, outcome};
    std::memcpy(CMSG_DATA(files), both, sizeof both);
    ssize_t sent = 0;
    do sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent > 0;
  }
  /// Its status: it has ended, or ends now that no request will follow; or is ended.
  int end() {
    socket_ = Fd();
    int status = -1;
    const auto deadline = Clock::now() + kLastWait;
    while (true) {
      const bool waits = Clock::now() < deadline;
      if (!waits) ::kill(pid_, SIGKILL);
      const pid_t got = ::waitpid(pid_, &status, waits ? WNOHANG : 0);
      if (got == pid_ || (got < 0 && errno != EINTR)) break;
      if (waits) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    pid_ = -1;
    return status;
  }

  fs::path program_;
  pid_t pid_ = -1;
  Fd socket_;
  uint64_t served_ = 0;
};

/// Children between two files.
class Idle {
 public:
  std::unique_ptr<Parser> take(const fs::path& program) {
    const std::lock_guard lock(mutex_);
    while (!parsers_.empty()) {
      std::unique_ptr<Parser> parser = std::move(parsers_.back());
      parsers_.pop_back();
      if (parser->program() == program && parser->is_there()) return parser;
    }
    return nullptr;
  }
  void give(std::unique_ptr<Parser> parser) {
    const std::lock_guard lock(mutex_);
    if (parsers_.size() < kMaxIdle) parsers_.push_back(std::move(parser));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Parser>> parsers_;
};

Idle& idle() {
  static Idle parsers;
  return parsers;
}

/// What a child makes of a file, in a memory file. `what` it is: "picture".
Result<std::unique_ptr<child::Outcome>> parse(const fs::path& path, const ParserRequest& request,
                                              std::string_view what) {
  const auto known = size_of_file(path);
  if (!known) return Error{codes::asset_unreadable, path.string(), known.error().reason, known.error().remedy};
  HW_TRY(const fs::path program, child::find_program());
  const auto limit = std::chrono::seconds(child::kWallFactor * child::seconds_for(*known));
  while (true) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0)
      return Error{codes::asset_unreadable, path.string(), std::string(std::strerror(errno)) + ".",
                   "Check the file's permissions."};
    std::unique_ptr<Parser> parser = idle().take(program);
    if (!parser) {
      HW_TRY(parser, Parser::start(program, path));
    }
    const Fd outcome(::memfd_create("halfwire-outcome", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (outcome.get() < 0) return child::cannot_run(program, path, errno);
    int status = 0;
    child::Ended ended{};
    if (parser->ask(request, path.string(), file.get(), outcome.get(), limit, status, ended)) {
      idle().give(std::move(parser));
      return child::outcome_in(outcome.get(), path);
    }
    // What an earlier file left behind may have ended it: this one is judged by a child of its own.
    const bool took_its_time = ended == child::Ended::by_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
    if (parser->has_served() && !took_its_time) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return child::cannot_run(program, path, ENOEXEC);
    const child::Fault fault = child::fault_of(path, what, status, ended, address_limit(request.memory));
    if (fault.kind != child::Fault::Kind::none) return fault.error;
    return child::outcome_in(outcome.get(), path);
  }
}

}  // namespace

Result<Image> load_image(const fs::path& file) {
  ParserRequest request;
  request.memory = available_memory();
  HW_TRY(const std::unique_ptr<child::Outcome> outcome, parse(file, request, "picture"));
  return read_picture(outcome->bytes(), file.string());
}

Result<Sound> load_sound(const fs::path& file, const SoundFormat& format) {
  ParserRequest request;
  request.kind = ParserRequest::Kind::sound;
  request.memory = available_memory();
  request.sound = format;
  HW_TRY(const std::unique_ptr<child::Outcome> outcome, parse(file, request, "sound"));
  return read_sound(outcome->bytes(), file.string(), format);
}

}  // namespace hw
