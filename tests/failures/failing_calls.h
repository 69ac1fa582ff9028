// Calls to the system and for memory that fail when a test asks for it: the n-th of a kind, in this whole program and
// the libraries that it uses, but for those that end the program where they have no memory: failing_calls.cpp names
// them. Only test programs that are linked with it have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hw::test {

/// What can fail. Standard streams never do.
enum class Call {
  memory,     // operator new: std::bad_alloc
  c_memory,   // malloc and its like, for libraries in C and Qt: null. Not under sanitizers, which have their own
  open,       // open, fopen, mkostemp, memfd_create: EMFILE
  read,       // read, pread, fread: EIO
  write,      // write, pwrite, writev, fwrite: half of it is written, then ENOSPC
  sync,       // fsync, fdatasync: EIO
  rename,     // rename, link: EIO
  folder,     // mkdir: ENOSPC; opendir: EMFILE
  map,        // mmap of a file: ENOMEM
  close,      // close of a file that was written to: EIO; it is closed
  interrupt,  // read, write: EINTR
  part,       // read, write: fewer bytes than asked for, at least one
};
/// "write".
const char* name(Call call);
/// All that this build can make fail.
const std::vector<Call>& calls();
/// Whether what is done must succeed all the same.
bool is_harmless(Call call);

/// While it lives, call number `first` (from 1) of a kind fails, and the `count` − 1 after it. One at a time.
class FailingCalls {
 public:
  FailingCalls(Call call, uint64_t first, uint64_t count = 1);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;
  /// Calls of the kind so far.
  uint64_t seen() const;
};

/// While it lives, this thread's allocations are spared: those of code that is not under test.
class SparedMemory {
 public:
  SparedMemory();
  ~SparedMemory();
  SparedMemory(const SparedMemory&) = delete;
  SparedMemory& operator=(const SparedMemory&) = delete;

 private:
  bool before_;
};

/// From now on the process ends, as by SIGKILL, at change number `n` (from 1) that it makes to files: before it is
/// made; a write is half made.
void die_at_change(uint64_t n);
/// Changes that were made to files since count_changes().
uint64_t changes();
void count_changes();

/// What was done to files while it lives, in order: "write NAME", "sync NAME", "rename NAME TO", "sync-folder NAME";
/// names without folders. Writes of one file that follow each other are one.
class CallLog {
 public:
  CallLog();
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;
  std::vector<std::string> lines() const;
};

}  // namespace hw::test
