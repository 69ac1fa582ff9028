#include "engine/io/child/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

namespace hw {
namespace {

namespace fs = std::filesystem;

#if defined(LANDLOCK_CREATE_RULESET_VERSION) && defined(SYS_landlock_create_ruleset)

/// Grows with the kernel; all of it is here, as headers are often older than kernels.
struct RulesetAttributes {
  uint64_t files, network, scoped;
};

bool confine_files(std::span<const fs::path> readable) {
  const auto abi =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  if (abi < 1) return false;
  // Rights over files: 13 in the first version; linking elsewhere, truncating and device ioctls came later.
  const int rights = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  RulesetAttributes attributes{(uint64_t{1} << rights) - 1, abi >= 4 ? 3u : 0u, abi >= 6 ? 3u : 0u};
  const size_t size = abi >= 6 ? sizeof attributes : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  const auto rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (rules < 0) return false;
  for (const fs::path& path : readable) {
    const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (place < 0) continue;  // what is not there is not read
    struct stat status {};
    landlock_path_beneath_attr rule{};
    rule.parent_fd = place;
    rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
    if (::fstat(place, &status) == 0 && S_ISDIR(status.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
    ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(place);
  }
  const bool confined = ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return confined;
}

#else

bool confine_files(std::span<const fs::path>) {
  return false;
}

#endif

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

/// A system call that is allowed, where `argument` is not negative only with (argument & mask) == value.
struct Allowed {
  uint32_t call;
  int argument = -1;
  uint32_t mask = 0, value = 0;
};

std::vector<Allowed> allowed_calls(bool opens_files) {
  constexpr uint32_t kWhole = ~0u, kWrites = O_ACCMODE | O_CREAT | O_TRUNC;
  const auto self = static_cast<uint32_t>(::getpid());
  std::vector<Allowed> calls{
      // memory
      {SYS_brk},
      {SYS_mmap, 2, PROT_EXEC, 0},
      {SYS_mprotect, 2, PROT_EXEC, 0},
      {SYS_munmap},
      {SYS_mremap},
      {SYS_madvise},
      // what is open: files that were handed over, the outcome, the socket
      {SYS_read},
      {SYS_write},
      {SYS_readv},
      {SYS_writev},
      {SYS_pread64},
      {SYS_lseek},
      {SYS_fstat},
      {SYS_newfstatat},
      {SYS_close},
      {SYS_recvmsg},
      // time, threads' locks, the process's own signals and limits
      {SYS_clock_gettime},
      {SYS_clock_nanosleep},
      {SYS_nanosleep},
      {SYS_gettimeofday},
      {SYS_futex},
      {SYS_sched_yield},
      {SYS_sched_getaffinity},
      {SYS_getrandom},
      {SYS_getpid},
      {SYS_gettid},
      {SYS_getrusage},
      {SYS_prlimit64, 0, kWhole, 0},
      {SYS_rt_sigaction},
      {SYS_rt_sigprocmask},
      {SYS_rt_sigreturn},
      {SYS_sigaltstack},
      {SYS_tgkill, 0, kWhole, self},  // abort()
      {SYS_restart_syscall},
      {SYS_exit},
      {SYS_exit_group},
  };
#if defined(__x86_64__)
  calls.push_back({SYS_time});
#endif
#if defined(__SANITIZE_ADDRESS__)
  calls.push_back({SYS_pipe2});  // UBSan asks by a pipe whether an object's memory can be read
#endif
  if (!opens_files) return calls;
  const Allowed opening[] {
    {SYS_openat, 2, kWrites, O_RDONLY}, {SYS_statx}, {SYS_getdents64}, {SYS_readlinkat}, {SYS_faccessat}, {SYS_getcwd},
        {SYS_fcntl}, {SYS_fadvise64},
#if defined(SYS_faccessat2)
        {SYS_faccessat2},
#endif
#if defined(__x86_64__)
        {SYS_open, 1, kWrites, O_RDONLY}, {SYS_stat}, {SYS_lstat}, {SYS_access}, {SYS_readlink},
#endif
  };
  calls.insert(calls.end(), std::begin(opening), std::end(opening));
  return calls;
}

bool confine_calls(bool opens_files) {
  if (kArchitecture == 0) return false;
  constexpr auto argument_at = [](int n) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args) + static_cast<size_t>(n) * sizeof(uint64_t));
  };
  const sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const Allowed& row : allowed_calls(opens_files)) {
    const auto add = [&](const sock_filter& instruction) { filter.push_back(instruction); };
    if (row.argument < 0) {
      add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row.call, 0, 1));
      add(allow);
      continue;
    }
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row.call, 0, 5));
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_at(row.argument)));  // the low half: little endian
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, row.mask));
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, row.value, 0, 1));
    add(allow);
    add(refuse);
  }
  filter.push_back(refuse);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace

Confined confine(std::span<const fs::path> readable) {
  ::prctl(PR_SET_DUMPABLE, 0);  // no debugger may read its memory
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {};
  Confined confined;
  confined.files = confine_files(readable);
  confined.calls = confine_calls(!readable.empty());
  return confined;
}

}  // namespace hw
