#include "app/models/background.h"

#include <thread>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace hw::app {

void yield_to_window() {
#ifdef __linux__
  // On Linux niceness belongs to a thread, and its children inherit it.
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
#endif
}

void start_in_background(const std::function<void()>& make) {
  std::thread([&make] {
    yield_to_window();
    make();
  }).join();
}

}  // namespace hw::app
