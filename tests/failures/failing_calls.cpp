// The functions of libc that FailingCalls makes fail stand here, in the program: the dynamic linker prefers them to
// libc's, in all libraries. Each asks first whether it is its turn, and goes on to the next definition of its name.
#include "tests/failures/failing_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HALFWIRE_SANITIZED 1
#else
#define HALFWIRE_SANITIZED 0
#endif

namespace hw::test {
namespace {

constexpr int kKilled = 137;

std::atomic<bool> g_armed{false};
std::atomic<Call> g_call{Call::memory};
std::atomic<uint64_t> g_seen{0}, g_first{0}, g_count{0};
thread_local bool t_spared = false;

std::atomic<uint64_t> g_changes{0}, g_dies_at{0};

std::atomic<bool> g_logs{false};
std::mutex g_log_mutex;
std::vector<std::string>* g_log = nullptr;

bool fails(Call call) {
  if (!g_armed.load(std::memory_order_relaxed) || g_call.load(std::memory_order_relaxed) != call) return false;
  const uint64_t number = g_seen.fetch_add(1) + 1;
  return number >= g_first && number - g_first < g_count;
}

/// Fails with `reason` where it is the turn of this call.
bool fails_with(Call call, int reason) {
  if (!fails(call)) return false;
  errno = reason;
  return true;
}

/// Whether the process is to end instead of making this change.
bool dies() {
  return g_changes.fetch_add(1) + 1 == g_dies_at;
}

void change() {
  if (dies()) ::_exit(kKilled);
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}
#define HALFWIRE_NEXT(name) static auto* const original = next<decltype(name)>(#name)

bool is_file(int fd) {
  struct stat status {};
  return fd > 2 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/// Functions of libraries that end the program where memory is lacking in them, whatever is caught around them.
constexpr const char* kUnforgiving[] = {
    "10json_value7destroy",  // nlohmann::json's destructor takes a stack of its own for what it holds, and may not
                             // throw
    "6Assimp8Exporter12ExportToBlob",  // as it gives up its copy of a scene it frees parts of the caller's
    "__cxa_thread_atexit_impl",        // glibc's, for the first use of a thread_local that has a destructor
};
/// Libraries that end the program by themselves where malloc gives nothing: gomp_malloc(), g_malloc().
constexpr const char* kUnforgivingLibraries[] = {"/libgomp.so", "/libglib-2.0.so"};

/// Whether memory that is lacking for `caller` is a library's affair, and nobody else can do anything about it.
bool is_library_affair(const void* caller) {
  const SparedMemory spared;
  static const void* const program = [] {
    Dl_info info{};
    return ::dladdr(reinterpret_cast<void*>(&is_file), &info) != 0 ? info.dli_fbase : nullptr;
  }();
  void* frames[128];
  const int count = ::backtrace(frames, 128);
  bool ours = false, called = false;
  for (int i = 0; i < count; ++i) {
    const bool innermost = !called && frames[i] == caller;
    called = called || innermost;
    Dl_info info{};
    if (!called || ::dladdr(frames[i], &info) == 0) continue;
    const auto has = [](const char* text, const char* part) { return text && std::strstr(text, part); };
    for (const char* function : kUnforgiving)
      if (has(info.dli_sname, function)) return true;
    for (const char* library : kUnforgivingLibraries)
      if (innermost && has(info.dli_fname, library)) return true;
    ours = ours || info.dli_fbase == program;
  }
  return called && !ours;  // a thread that a library has started, as Qt's pool and oneDNN do, by itself
}

bool fails_for_memory(Call call, const void* caller) {
  return !t_spared && fails(call) && !is_library_affair(caller);
}

bool is_folder(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

std::string name_of(int fd) {
  char path[4096];
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path - 1);
  return size < 0 ? "?" : std::filesystem::path(std::string(path, static_cast<size_t>(size))).filename().string();
}

void log(const std::string& line) {
  const std::lock_guard lock(g_log_mutex);
  if (!g_log || (line.starts_with("write") && !g_log->empty() && g_log->back() == line)) return;
  g_log->push_back(line);
}

bool creates(int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0;
}

mode_t mode_of(int flags, va_list& more) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

/// How many of `size` bytes are to be handled.
size_t part_of(size_t size) {
  return size > 1 && fails(Call::part) ? (size + 1) / 2 : size;
}

}  // namespace

const char* name(Call call) {
  switch (call) {
    case Call::memory:
      return "memory";
    case Call::c_memory:
      return "c_memory";
    case Call::open:
      return "open";
    case Call::read:
      return "read";
    case Call::write:
      return "write";
    case Call::sync:
      return "sync";
    case Call::rename:
      return "rename";
    case Call::folder:
      return "folder";
    case Call::map:
      return "map";
    case Call::close:
      return "close";
    case Call::interrupt:
      return "interrupt";
    case Call::part:
      return "part";
  }
  return "";
}

const std::vector<Call>& calls() {
  static const std::vector<Call> all = [] {
    std::vector<Call> made{Call::memory, Call::open, Call::read,  Call::write,     Call::sync, Call::rename,
                           Call::folder, Call::map,  Call::close, Call::interrupt, Call::part};
    if (!HALFWIRE_SANITIZED) made.insert(made.begin() + 1, Call::c_memory);
    return made;
  }();
  return all;
}

bool is_harmless(Call call) {
  return call == Call::interrupt || call == Call::part;
}

FailingCalls::FailingCalls(Call call, uint64_t first, uint64_t count) {
  (void)is_library_affair(nullptr);  // loads what it needs
  g_call = call;
  g_seen = 0;
  g_first = first;
  g_count = count;
  g_armed = true;
}

FailingCalls::~FailingCalls() {
  g_armed = false;
}

uint64_t FailingCalls::seen() const {
  return g_seen;
}

SparedMemory::SparedMemory() : before_(t_spared) {
  t_spared = true;
}

SparedMemory::~SparedMemory() {
  t_spared = before_;
}

void die_at_change(uint64_t n) {
  g_changes = 0;
  g_dies_at = n;
}

uint64_t changes() {
  return g_changes;
}

void count_changes() {
  die_at_change(0);
}

CallLog::CallLog() {
  const std::lock_guard lock(g_log_mutex);
  delete g_log;
  g_log = new std::vector<std::string>();
  g_logs = true;
}

CallLog::~CallLog() {
  g_logs = false;
  const std::lock_guard lock(g_log_mutex);
  delete std::exchange(g_log, nullptr);
}

std::vector<std::string> CallLog::lines() const {
  const std::lock_guard lock(g_log_mutex);
  return *g_log;
}

}  // namespace hw::test

using hw::test::Call;
using namespace hw::test;  // the functions below stand in no namespace

// ---- memory

namespace {

void* plain_allocation(size_t bytes, size_t alignment) {
  const hw::test::SparedMemory spared;  // malloc is counted by itself
  void* memory = alignment ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                           : std::malloc(bytes ? bytes : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

/// GCC 14 warns falsely of another way of allocation where it can inline this.
[[gnu::noinline]] void release(void* memory) {
  std::free(memory);
}

void* counted_allocation(size_t bytes, size_t alignment, const void* caller) {
  if (fails_for_memory(Call::memory, caller)) throw std::bad_alloc();
  return plain_allocation(bytes, alignment);
}

}  // namespace

void* operator new(size_t bytes) {
  return counted_allocation(bytes, 0, __builtin_return_address(0));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return counted_allocation(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept try {
  return counted_allocation(bytes, 0, __builtin_return_address(0));
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  release(memory);
}

extern "C" {

#if !HALFWIRE_SANITIZED
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

void* malloc(size_t bytes) {
  if (fails_for_memory(Call::c_memory, __builtin_return_address(0))) return errno = ENOMEM, nullptr;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  if (fails_for_memory(Call::c_memory, __builtin_return_address(0))) return errno = ENOMEM, nullptr;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  if (bytes > 0 && fails_for_memory(Call::c_memory, __builtin_return_address(0))) return errno = ENOMEM, nullptr;
  return __libc_realloc(memory, bytes);
}
#endif

// ---- files: open

#define HALFWIRE_OPEN(function)                    \
  int function(const char* path, int flags, ...) { \
    HALFWIRE_NEXT(function);                       \
    va_list more;                                  \
    va_start(more, flags);                         \
    const mode_t mode = mode_of(flags, more);      \
    va_end(more);                                  \
    if (fails_with(Call::open, EMFILE)) return -1; \
    if (creates(flags)) change();                  \
    return original(path, flags, mode);            \
  }
HALFWIRE_OPEN(open)
HALFWIRE_OPEN(open64)

#define HALFWIRE_OPENAT(function)                              \
  int function(int folder, const char* path, int flags, ...) { \
    HALFWIRE_NEXT(function);                                   \
    va_list more;                                              \
    va_start(more, flags);                                     \
    const mode_t mode = mode_of(flags, more);                  \
    va_end(more);                                              \
    if (fails_with(Call::open, EMFILE)) return -1;             \
    if (creates(flags)) change();                              \
    return original(folder, path, flags, mode);                \
  }
HALFWIRE_OPENAT(openat)
HALFWIRE_OPENAT(openat64)

#define HALFWIRE_FOPEN(function)                        \
  FILE* function(const char* path, const char* mode) {  \
    HALFWIRE_NEXT(function);                            \
    if (fails_with(Call::open, EMFILE)) return nullptr; \
    if (mode[0] != 'r') change();                       \
    return original(path, mode);                        \
  }
HALFWIRE_FOPEN(fopen)
HALFWIRE_FOPEN(fopen64)

#define HALFWIRE_MKOSTEMP(function)                \
  int function(char* path, int flags) {            \
    HALFWIRE_NEXT(function);                       \
    if (fails_with(Call::open, EMFILE)) return -1; \
    change();                                      \
    return original(path, flags);                  \
  }
HALFWIRE_MKOSTEMP(mkostemp)
HALFWIRE_MKOSTEMP(mkostemp64)

int memfd_create(const char* name, unsigned flags) noexcept {
  HALFWIRE_NEXT(memfd_create);
  return fails_with(Call::open, EMFILE) ? -1 : original(name, flags);
}

// ---- files: read

ssize_t read(int fd, void* to, size_t size) {
  HALFWIRE_NEXT(read);
  if (fd > 2 && (fails_with(Call::read, EIO) || fails_with(Call::interrupt, EINTR))) return -1;
  return original(fd, to, fd > 2 ? part_of(size) : size);
}
#define HALFWIRE_PREAD(function)                                                      \
  ssize_t function(int fd, void* to, size_t size, off_t at) {                         \
    HALFWIRE_NEXT(function);                                                          \
    if (fails_with(Call::read, EIO) || fails_with(Call::interrupt, EINTR)) return -1; \
    return original(fd, to, part_of(size), at);                                       \
  }
HALFWIRE_PREAD(pread)
HALFWIRE_PREAD(pread64)

size_t fread(void* to, size_t size, size_t count, FILE* file) {
  HALFWIRE_NEXT(fread);
  if (file != stdin && fails_with(Call::read, EIO)) {
    // As libc does: the stream remembers it. Reading a folder is an error on any stream.
    file->_flags |= 0x20;
    return 0;
  }
  return original(to, size, count, file);
}

// ---- files: write

static ssize_t write_half(int fd, const void* from, size_t size) {
  static auto* const original = next<decltype(::write)>("write");
  return original(fd, from, size / 2);
}

ssize_t write(int fd, const void* from, size_t size) {
  HALFWIRE_NEXT(write);
  if (!is_file(fd)) return original(fd, from, size);
  if (fails_with(Call::interrupt, EINTR)) return -1;
  if (fails(Call::write)) {
    write_half(fd, from, size);
    errno = ENOSPC;
    return -1;
  }
  if (dies()) write_half(fd, from, size), ::_exit(kKilled);
  if (g_logs) log("write " + name_of(fd));
  return original(fd, from, part_of(size));
}
#define HALFWIRE_PWRITE(function)                                                         \
  ssize_t function(int fd, const void* from, size_t size, off_t at) {                     \
    HALFWIRE_NEXT(function);                                                              \
    if (!is_file(fd)) return original(fd, from, size, at);                                \
    if (fails_with(Call::write, ENOSPC) || fails_with(Call::interrupt, EINTR)) return -1; \
    if (dies()) original(fd, from, size / 2, at), ::_exit(kKilled);                       \
    return original(fd, from, part_of(size), at);                                         \
  }
HALFWIRE_PWRITE(pwrite)
HALFWIRE_PWRITE(pwrite64)

ssize_t writev(int fd, const iovec* pieces, int count) {
  HALFWIRE_NEXT(writev);
  if (!is_file(fd)) return original(fd, pieces, count);
  if (fails_with(Call::write, ENOSPC) || fails_with(Call::interrupt, EINTR)) return -1;
  change();
  return original(fd, pieces, count);
}

size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  HALFWIRE_NEXT(fwrite);
  if (!is_file(::fileno(file))) return original(from, size, count, file);
  if (fails_with(Call::write, ENOSPC)) return 0;
  change();
  return original(from, size, count, file);
}

#define HALFWIRE_TRUNCATE(function)                                \
  int function(int fd, off_t size) noexcept {                      \
    HALFWIRE_NEXT(function);                                       \
    if (is_file(fd) && fails_with(Call::write, ENOSPC)) return -1; \
    change();                                                      \
    return original(fd, size);                                     \
  }
HALFWIRE_TRUNCATE(ftruncate)
HALFWIRE_TRUNCATE(ftruncate64)

// ---- files: sync, close, names

#define HALFWIRE_SYNC(function)                                                \
  int function(int fd) {                                                       \
    HALFWIRE_NEXT(function);                                                   \
    if (fails_with(Call::sync, EIO)) return -1;                                \
    if (g_logs) log((is_folder(fd) ? "sync-folder " : "sync ") + name_of(fd)); \
    return original(fd);                                                       \
  }
HALFWIRE_SYNC(fsync)
HALFWIRE_SYNC(fdatasync)

int close(int fd) {
  HALFWIRE_NEXT(close);
  const int flags = g_armed ? ::fcntl(fd, F_GETFL) : -1;
  const bool fails_here = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && is_file(fd) && fails(Call::close);
  const int closed = original(fd);
  if (!fails_here) return closed;
  errno = EIO;
  return -1;
}

static void log_rename(const char* from, const char* to) {
  if (!g_logs) return;
  log("rename " + std::filesystem::path(from).filename().string() + " " +
      std::filesystem::path(to).filename().string());
}

int rename(const char* from, const char* to) noexcept {
  HALFWIRE_NEXT(rename);
  if (fails_with(Call::rename, EIO)) return -1;
  change();
  log_rename(from, to);
  return original(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  HALFWIRE_NEXT(renameat2);
  if (fails_with(Call::rename, EIO)) return -1;
  change();
  log_rename(from, to);
  return original(from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept {
  HALFWIRE_NEXT(link);
  if (fails_with(Call::rename, EIO)) return -1;
  change();
  return original(from, to);
}
int unlink(const char* path) noexcept {
  HALFWIRE_NEXT(unlink);
  change();
  return original(path);
}
int remove(const char* path) noexcept {
  HALFWIRE_NEXT(remove);
  change();
  return original(path);
}
int mkdir(const char* path, mode_t mode) noexcept {
  HALFWIRE_NEXT(mkdir);
  if (fails_with(Call::folder, ENOSPC)) return -1;
  change();
  return original(path, mode);
}
DIR* opendir(const char* path) {
  HALFWIRE_NEXT(opendir);
  return fails_with(Call::folder, EMFILE) ? nullptr : original(path);
}

// ---- maps

#define HALFWIRE_MMAP(function)                                                                   \
  void* function(void* at, size_t size, int protection, int flags, int fd, off_t from) noexcept { \
    HALFWIRE_NEXT(function);                                                                      \
    if (fd >= 0 && fails_with(Call::map, ENOMEM)) return MAP_FAILED;                              \
    return original(at, size, protection, flags, fd, from);                                       \
  }
HALFWIRE_MMAP(mmap)
HALFWIRE_MMAP(mmap64)

}  // extern "C"
