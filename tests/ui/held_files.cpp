// Preloaded into a program by losses_test.py: a file of weights or a model is opened for reading once there is no file
// beside it that is called like it with ".held" behind. The middle of reading lasts as long as a test wants.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

constexpr useconds_t kPause = 10'000;  // µs

void wait_until_let_go(std::string_view path) {
  if (!path.ends_with(".safetensors") && !path.ends_with(".onnx")) return;
  const std::string gate = std::string(path) + ".held";
  while (::access(gate.c_str(), F_OK) == 0) ::usleep(kPause);
}

int opened(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) == O_RDONLY) wait_until_let_go(path);
  return reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, name))(path, flags, mode);
}

FILE* opened(const char* name, const char* path, const char* how) {
  if (*how == 'r') wait_until_let_go(path);
  return reinterpret_cast<FILE* (*)(const char*, const char*)>(dlsym(RTLD_NEXT, name))(path, how);
}

}  // namespace

// As the C library declares them.
extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened("open", path, flags, mode);
}

extern "C" FILE* fopen(const char* path, const char* how) {
  return opened("fopen", path, how);
}

extern "C" FILE* fopen64(const char* path, const char* how) {
  return opened("fopen64", path, how);
}
