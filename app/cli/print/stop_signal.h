// Ctrl-C and SIGTERM as a flag: for commands that take long.
#pragma once

#include <atomic>
#include <csignal>

namespace hw::cli {

/// The exit code of a command that a signal stopped.
constexpr int exit_of_signal(int signal) {
  return 128 + signal;
}

/// Signals ask for a stop while this lives; a second one ends the process. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  /// Set from the signal handler.
  static const std::atomic<bool>& asked();
  /// The signal that asked for the last stop; 0: none did.
  static int signal();

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

/// Signals end the process at once while this lives: for work that leaves nothing behind, and whose steps may each take
/// long. One at a time.
class EndOnSignal {
 public:
  EndOnSignal();
  ~EndOnSignal();
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

}  // namespace hw::cli
