#include "app/cli/print/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace hw::cli {
namespace {

constexpr std::chrono::seconds kBetweenLines{20};

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now() + kBetweenLines) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fprintf(stderr, "\n");
}

void ProgressLine::show(double share, const std::string& text) {
  if (!terminal_) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kBetweenLines;
    std::fprintf(stderr, "%3.0f %%  %s\n", 100 * share, text.c_str());
    return;
  }
  constexpr int kWidth = 24;
  std::string bar(kWidth, '.');
  const int filled = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
  std::fill_n(bar.begin(), filled, '#');
  std::fprintf(stderr, "\r[%s] %s\033[K", bar.c_str(), text.c_str());
  drawn_ = true;
}

}  // namespace hw::cli
