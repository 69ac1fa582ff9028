// Ctrl-C and SIGTERM as a flag, and a line of progress on a terminal: for commands that take long.
#pragma once

#include <atomic>
#include <csignal>
#include <string>

namespace hw::cli {

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

/// "[####....] text" on stderr, over the one before; nothing where stderr is no terminal. Ends its line on destruction.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_shown() const { return terminal_; }
  /// `share` in [0, 1].
  void show(double share, const std::string& text);

 private:
  bool terminal_ = false, drawn_ = false;
};

}  // namespace hw::cli
