// Runs halfwire-cli as a process and collects what it says.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <set>

#include "tests/engine/io_temp.h"

namespace hw::test {

struct Outcome {
  int exit = -1;  // −1: ended by a signal
  std::string out, err;
  double cpu_seconds = 0;  // that it took, whatever else ran
};

/// One process; its output goes to files of its own, stdout to `out_file` where it
/// is given. `file_limit`: bytes a file may have, as a full disk; 0: none.
class Process {
 public:
  explicit Process(std::vector<std::string> args, rlim_t file_limit = 0, const char* out_file = nullptr) {
    const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string();
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (*HALFWIRE_LAVAPIPE) ::setenv("VK_DRIVER_FILES", HALFWIRE_LAVAPIPE, 1);
    ::dup2(::open(out_file ? out_file : out.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
    if (file_limit) {
      const rlimit limit{file_limit, file_limit};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    args.insert(args.begin(), HALFWIRE_CLI);
    std::vector<char*> argv;
    for (std::string& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  pid_t pid() const { return pid_; }
  /// Waits until it handles SIGINT, a minute at most: before, one would just end the process.
  bool handles_interrupt() const {
    for (int i = 0; i < 6000; ++i, ::usleep(10'000)) {
      std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
      for (std::string line; std::getline(status, line);)
        if (line.starts_with("SigCgt:") && (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) == 1)
          return true;
    }
    return false;
  }
  /// What it has written to stderr so far.
  std::string err() const { return read_bytes(folder_ / "err"); }
  Outcome wait() {
    int status = 0;
    rusage usage{};
    ::wait4(pid_, &status, 0, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(folder_ / "out"), read_bytes(folder_ / "err"),
            seconds(usage.ru_utime) + seconds(usage.ru_stime)};
  }

 private:
  TempFolder folder_;
  pid_t pid_ = -1;
};

inline Outcome cli(std::vector<std::string> args, rlim_t file_limit = 0, const char* out_file = nullptr) {
  return Process(std::move(args), file_limit, out_file).wait();
}

/// A command that SIGINT reaches when it has trained: it is given more time as long as it was stopped before that.
inline Outcome cli_interrupted(const std::vector<std::string>& args) {
  for (useconds_t wait = 500'000;; wait *= 2) {
    Process process(args);
    EXPECT_TRUE(process.handles_interrupt());
    ::usleep(wait);
    ::kill(process.pid(), SIGINT);
    Outcome outcome = process.wait();
    const bool early = outcome.err.find("stopped before the first step") != std::string::npos;
    if (!early || wait > 8'000'000) return outcome;
  }
}

/// The commands that --help lists.
inline std::set<std::string> listed_commands() {
  const std::string help = cli({"--help"}).out;
  const size_t begin = std::min(help.find("Subcommands:"), help.size());
  const std::string list = help.substr(begin, help.find("Exit codes:") - begin);
  const std::regex command("\n  ([a-z][a-z-]*) ");
  std::set<std::string> names;
  for (std::sregex_iterator it(list.begin(), list.end(), command), end; it != end; ++it) names.insert((*it)[1]);
  EXPECT_FALSE(names.empty()) << help;
  return names;
}

inline const std::string kExample = std::string(HALFWIRE_EXAMPLES) + "/neural_texture.halfwire";

/// The command, then options that make the example small enough for a test.
inline std::vector<std::string> small(std::vector<std::string> args) {
  for (const char* set : {"sampler.points=256", "encoder.log2_table=10", "encoder.levels=4"}) {
    args.emplace_back("--set");
    args.emplace_back(set);
  }
  return args;
}

/// A loss.csv without its last column, the time that it took.
inline std::string without_times(const std::string& csv) {
  std::string kept;
  for (size_t at = 0, end; at < csv.size(); at = end + 1) {
    end = csv.find('\n', at);
    kept += csv.substr(at, csv.rfind(',', end) - at) + '\n';
  }
  return kept;
}

/// The example with `from` replaced by `to`, everywhere.
inline std::string example_with(const std::string& from, const std::string& to) {
  std::string text = read_bytes(kExample);
  EXPECT_NE(text.find(from), std::string::npos) << from;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace hw::test
