// A child that reads one file, hands over what it made of it, and ends: how it is run, and its own part.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "engine/core/memory.h"
#include "engine/io/child/child_process.h"

namespace hw::child {

/// A request to a child.
struct Reading {
  std::vector<std::string> words;  // for halfwire-cli: a command, and its arguments
  std::filesystem::path file;      // that is read; errors are at it
  std::string what;                // the file has, for errors: "model"
  // Bytes, watched from outside; of a child with sanitizers only what it hands over is.
  uint64_t most = 0;                   // that the child may hold in memory
  uint64_t free = available_memory();  // that it may hold and hand over together: its outcome lies in memory, too
};

/// The outcome, and the memory that it took.
struct Ran {
  Fault fault;                       // of the kind `none` where there is an outcome
  std::unique_ptr<Outcome> outcome;  // null where there is a fault
  double wall_seconds = 0, cpu_seconds = 0;
  uint64_t peak_bytes = 0;  // largest resident set
};

/// Runs it to its end: its own, or what the limits make of it. Blocks; thread safe. Error HW-A005.
Result<Ran> run(const Reading& reading);

/// What a child may take, beside the time that its file's size allows.
struct Limits {
  rlim_t addresses = RLIM_INFINITY;  // bytes of address space; not with sanitizers
  rlim_t outcome = kMaxOutcome;      // bytes that it hands over
};
/// Reports more bytes that are read: they allow more time.
using WillRead = std::function<void(uint64_t bytes)>;

/// The child's part: limits and confines this process, which ends with its parent (confine.h: of files it opens
/// `readable`), closes all descriptors above kFd, and does `work`, which reads `file` and returns whether the outcome
/// is written to kFd. Returns the exit code.
int serve(const std::filesystem::path& file, const Limits& limits, std::span<const std::filesystem::path> readable,
          const std::function<bool(const WillRead&)>& work);

}  // namespace hw::child
