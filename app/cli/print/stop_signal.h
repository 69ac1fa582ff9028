// Ctrl-C and SIGTERM as a flag, and a line of progress on a terminal: for commands that take long.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>

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

/// "[####....] text" on stderr, over the one before. Where stderr is no terminal, now and then a line " 12 %  text", so
/// that long work is not silent, and short work says nothing. Ends its line on destruction.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `share` in [0, 1].
  void show(double share, const std::string& text);

 private:
  bool terminal_ = false, drawn_ = false;
  std::chrono::steady_clock::time_point next_;  // line, where stderr is no terminal
};

}  // namespace hw::cli
