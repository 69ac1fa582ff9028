#include "app/cli/print/stop_signal.h"

#include <unistd.h>

#include <string_view>

namespace hw::cli {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<int> by_signal = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "set from a signal handler");

}  // namespace

StopOnSignal::StopOnSignal() {
  interrupted = false;
  by_signal = 0;
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    by_signal = signal;
    interrupted = true;
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

StopOnSignal::~StopOnSignal() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

EndOnSignal::EndOnSignal() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    constexpr std::string_view kStopped = "\nstopped: nothing is written\n";
    (void)!::write(STDERR_FILENO, kStopped.data(), kStopped.size());
    ::_exit(exit_of_signal(signal));
  };
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

EndOnSignal::~EndOnSignal() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

const std::atomic<bool>& StopOnSignal::asked() {
  return interrupted;
}

int StopOnSignal::signal() {
  return by_signal;
}

}  // namespace hw::cli
