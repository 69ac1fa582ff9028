// A line of progress on a terminal: for commands that take long.
#pragma once

#include <chrono>
#include <string>

namespace hw::cli {

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
