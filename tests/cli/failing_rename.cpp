// Preloaded into the command line: renaming a file whose name ends in HALFWIRE_FAILS_TO_RENAME fails with EIO.
#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

extern "C" int rename(const char* from, const char* to) noexcept {
  const char* named = std::getenv("HALFWIRE_FAILS_TO_RENAME");
  if (named && std::string_view(from).ends_with(named)) {
    errno = EIO;
    return -1;
  }
  using Rename = int (*)(const char*, const char*);
  static const auto next = reinterpret_cast<Rename>(::dlsym(RTLD_NEXT, "rename"));
  return next(from, to);
}
