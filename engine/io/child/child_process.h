// What the child processes that parse untrusted bytes have in common: how they are found, started and limited, and the
// errors for one that crashed, hung or took too much memory.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace hw::child {

inline constexpr int kFd = 3;                         // where a child finds what it was handed: its outcome, its socket
inline constexpr rlim_t kMaxOutcome = 1'600'000'000;  // bytes that it may hand over
inline constexpr rlim_t kMaxSeconds = 120;            // of processor time, however much it reads
inline constexpr int kWallFactor = 6;                 // one that waits rather than works is ended after so much
inline constexpr int kExitNoMemory = 40;              // for std::bad_alloc
inline constexpr int kExitNotWritten = 41;            // for an outcome that it may not write

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitizer = true;  // reserves terabytes of address space
#else
inline constexpr bool kSanitizer = false;
#endif

/// Bytes of a sealed memory file, read only; empty when there are none.
class Outcome {
 public:
  explicit Outcome(int fd);
  ~Outcome();
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;
  /// Whether there are bytes, and the system maps none.
  bool failed() const { return size_ > 0 && !at_; }
  std::string_view bytes() const { return at_ ? std::string_view(static_cast<const char*>(at_), size_) : ""; }

 private:
  void* at_ = nullptr;
  size_t size_ = 0;
};

/// What a child has written into the memory file `fd`, made of `file`. HW-R001 where the system does not map it.
Result<std::unique_ptr<Outcome>> outcome_in(int fd, const std::filesystem::path& file);

/// halfwire-cli: $HALFWIRE_IMPORTER, else beside the running program or in the folder above. Error HW-A005.
Result<std::filesystem::path> find_program();
/// Starts `words`; `fd` becomes kFd, the standard streams are closed to it. Returns an errno, 0: started.
int start(std::vector<std::string> words, int fd, pid_t& pid);
/// HW-A005: the program cannot be run, with the system's reason.
Error cannot_run(const std::filesystem::path& program, const std::filesystem::path& file, int error);

/// Processor time for so many bytes of input, seconds.
rlim_t seconds_for(uint64_t bytes);
/// 0 where it is not known.
uint64_t size_or_none(const std::filesystem::path& file);
/// In the child: a limit of its own, never above what it has.
void limit(decltype(RLIMIT_AS) what, rlim_t soft, rlim_t hard);

enum class Ended : uint8_t { itself, by_time, by_memory, by_free_memory };
/// Why a child with this status handed nothing over, HW-A004 at `file`; HW-R001 where as much memory was not free.
/// `what` it read: "model". `most`: the bytes of memory after which it was ended.
struct Fault {
  enum class Kind : uint8_t { none, crashed, out_of_time, out_of_memory } kind = Kind::none;
  Error error = {};
};
Fault fault_of(const std::filesystem::path& file, std::string_view what, int status, Ended ended, uint64_t most);

}  // namespace hw::child
