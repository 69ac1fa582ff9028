// A page that the file has lost raises SIGBUS. The handler looks for it among the mappings, puts a page of zeros there,
// and notes that bytes are missing: the read goes on, and the check that follows it fails.
#include "engine/io/file/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "engine/core/codes.h"

namespace hw {
namespace {

/// Never freed, and used again for another mapping: the handler walks over them at any moment.
struct Mapping {
  std::atomic<uintptr_t> begin{0}, end{0};  // both 0: not in use
  std::atomic<bool> lost{false};            // a page was missing
  Mapping* next = nullptr;                  // set before it can be found
  std::shared_ptr<const OpenFile> file;     // under the mutex
  uint64_t last = 0;                        // the file has to have so many bytes
};

std::atomic<Mapping*> g_first{nullptr};
struct sigaction g_before {};

std::mutex& mutex() {
  static std::mutex of_mappings;
  return of_mappings;
}
/// The first that was found changed when its mapping ended, under the mutex.
std::unique_ptr<Error>& ended_changed() {
  static std::unique_ptr<Error> error;
  return error;
}

uintptr_t page_size() {
  static const auto size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

Mapping* find(uintptr_t address) {
  for (Mapping* m = g_first.load(std::memory_order_acquire); m; m = m->next)
    if (address >= m->begin.load(std::memory_order_acquire) && address < m->end.load(std::memory_order_acquire))
      return m;
  return nullptr;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const int saved = errno;
  if (Mapping* mapping = info->si_code == BUS_ADRERR ? find(address) : nullptr) {
    void* page = reinterpret_cast<void*>(address / page_size() * page_size());
    void* zeros = ::mmap(page, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = saved;
    if (zeros != MAP_FAILED) {
      mapping->lost.store(true, std::memory_order_release);
      return;
    }
  }
  // Somebody else's: as if there were no handler here.
  if (g_before.sa_flags & SA_SIGINFO) return g_before.sa_sigaction(number, info, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) return g_before.sa_handler(number);
  ::signal(SIGBUS, SIG_DFL);
  ::raise(SIGBUS);  // delivered when this returns
}

void catch_bus_errors() {
  static const bool caught = [] {
    page_size();
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &g_before) == 0;
  }();
  static_cast<void>(caught);
}

/// `lost`: bytes before `last` were not there when they were read.
Status check(const OpenFile& file, uint64_t last, bool lost) {
  const auto error = [&](const std::string& reason) {
    return Error{codes::file_unreadable, file.path.string(), reason,
                 "Read it again when no other program writes it; one that replaces files by renaming does no harm."};
  };
  struct stat now {};
  const bool known = ::fstat(file.descriptor, &now) == 0;
  if (lost || (known && static_cast<uint64_t>(now.st_size) < last))
    return error("the file became shorter while it was read: it had " + std::to_string(file.size) + " bytes" +
                 (known ? ", and has " + std::to_string(now.st_size) + "." : "."));
  if (known && (now.st_mtim.tv_sec != file.changed_s || now.st_mtim.tv_nsec != file.changed_ns))
    return error("the file was written over while it was read.");
  return ok();
}

/// Under the mutex.
Status check(const Mapping& mapping) {
  return check(*mapping.file, mapping.last, mapping.lost);
}

void forget(Mapping* mapping) {
  const std::lock_guard lock(mutex());
  if (const Status sound = check(*mapping); !sound && !ended_changed())
    ended_changed() = std::make_unique<Error>(sound.error());
  auto* base = reinterpret_cast<void*>(mapping->begin.load());
  const size_t length = mapping->end - mapping->begin;
  mapping->end = 0;
  mapping->begin = 0;
  ::munmap(base, length);
  mapping->file.reset();
}

Mapping* remember(uintptr_t begin, uintptr_t end, std::shared_ptr<const OpenFile> file, uint64_t last) {
  const std::lock_guard lock(mutex());
  Mapping* mapping = g_first.load();
  while (mapping && mapping->begin != 0) mapping = mapping->next;
  const bool is_new = !mapping;
  if (is_new) mapping = new Mapping;
  mapping->lost = false;
  mapping->file = std::move(file);
  mapping->last = last;
  mapping->begin = begin;
  mapping->end = end;
  if (is_new) {
    mapping->next = g_first.load();
    g_first.store(mapping, std::memory_order_release);
  }
  return mapping;
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor >= 0) ::close(descriptor);
}

Status check_unchanged(const OpenFile& file) {
  return check(file, file.size, false);
}

std::shared_ptr<std::byte> map_bytes(std::shared_ptr<const OpenFile> file, uint64_t at, uint64_t bytes) {
  catch_bus_errors();
  const uint64_t before = at % page_size(), length = before + bytes;
  void* base = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file->descriptor,
                      static_cast<off_t>(at - before));
  if (base == MAP_FAILED) return {};
  const auto begin = reinterpret_cast<uintptr_t>(base);
  Mapping* mapping = remember(begin, begin + length, std::move(file), at + bytes);
  return {static_cast<std::byte*>(base) + before, [mapping](std::byte*) { forget(mapping); }};
}

bool is_mapped(const void* bytes) {
  const std::lock_guard lock(mutex());
  return bytes && find(reinterpret_cast<uintptr_t>(bytes));
}

Status check_mapped(const void* bytes) {
  const std::lock_guard lock(mutex());
  const Mapping* mapping = bytes ? find(reinterpret_cast<uintptr_t>(bytes)) : nullptr;
  return mapping ? check(*mapping) : ok();
}

Status check_all_mapped() {
  const std::lock_guard lock(mutex());
  if (ended_changed()) return *ended_changed();
  for (const Mapping* m = g_first.load(); m; m = m->next)
    if (m->file) HW_CHECK(check(*m));
  return ok();
}

}  // namespace hw
