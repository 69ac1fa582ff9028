#include "engine/shader/compile_glsl.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/core/codes.h"
#include "engine/core/descriptor.h"
#include "engine/shader/spirv_cache.h"

extern char** environ;

namespace hw::shader {
namespace {

constexpr std::chrono::milliseconds kWait(2);
constexpr int kMostWaits = 15'000;  // 30 s: it hangs

Error not_compiled(const std::string& why, const std::string& remedy = "") {
  return {codes::no_shader, "", "glslangValidator, which compiles shaders, " + why + ".", remedy};
}

const char* environment_of(GlslTarget target) {
  return target == GlslTarget::vulkan_1_0 ? "vulkan1.0" : "vulkan1.2";
}

/// The program's exit status, with `text` as its input, what it says into `said`, the words into `words`; -1: errno.
int run_compiler(int text, int said, int words, GlslTarget target) {
  // Version 12 wants the stage behind --stdin.
  std::array<std::string, 9> arguments{
      "glslangValidator", "--stdin", "-S", "comp", "-V", "--target-env", environment_of(target), "-o",
      "/proc/self/fd/3"};
  std::array<char*, arguments.size() + 1> argv{};
  for (size_t i = 0; i < arguments.size(); ++i) argv[i] = arguments[i].data();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int failed = posix_spawn_file_actions_adddup2(&actions, text, 0);
  for (const auto& [from, to] : {std::pair(said, 1), std::pair(said, 2), std::pair(words, 3)})
    if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions, from, to);
  pid_t pid = 0;
  if (failed == 0) failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    errno = failed;
    return -1;
  }
  int status = 0;
  for (int waits = 0;; ++waits) {
    const pid_t ended = ::waitpid(pid, &status, waits < kMostWaits ? WNOHANG : 0);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (waits == kMostWaits - 1) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(kWait);
  }
}

}  // namespace

Result<std::vector<uint32_t>> compile_compute(const std::string& glsl, GlslTarget target) {
  const std::string key = std::string(environment_of(target)) + "\n" + glsl;
  if (auto known = remembered_spirv(key)) return std::move(*known);
  const auto memory = [] { return Fd(::memfd_create("halfwire-shader", MFD_CLOEXEC | MFD_ALLOW_SEALING)); };
  const Fd text = memory(), said = memory(), made = memory();
  if (text.get() < 0 || said.get() < 0 || made.get() < 0) return not_compiled("has no memory for its files");
  if (!write_all(text.get(), glsl) || ::lseek(text.get(), 0, SEEK_SET) != 0) return not_compiled("cannot be handed it");
  const int status = run_compiler(text.get(), said.get(), made.get(), target);
  if (status < 0) return not_compiled(std::string("cannot be run: ") + std::strerror(errno), "Install glslang-tools.");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string message = read_all(said.get());
    const size_t error = message.find("ERROR:");
    return not_compiled(
        "says " + (error == std::string::npos ? "nothing" : message.substr(error, message.find('\n', error) - error)));
  }
  const std::string spirv = read_all(made.get());
  if (spirv.empty()) return not_compiled("writes nothing");
  std::vector<uint32_t> words(spirv.size() / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(uint32_t));
  remember_spirv(key, words);
  return words;
}

}  // namespace hw::shader
