// What a file could make a parser do that has a fault: tried one after the other, by name of what came of it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

extern char** environ;

namespace hw::test {

/// The actions that succeeded. `file`: one of the user's, which is there; `folder`: one that may be written.
inline std::vector<std::string> succeeded_actions(const std::string& file, const std::string& folder) {
  std::vector<std::string> done;
  const auto opened = [&](const char* what, int fd) {
    if (fd < 0) return;
    done.emplace_back(what);
    ::close(fd);
  };
  opened("read a file", ::open(file.c_str(), O_RDONLY));
  opened("list a folder", ::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  opened("write a file", ::open((folder + "/planted").c_str(), O_WRONLY | O_CREAT, 0600));
  opened("change a file", ::open(file.c_str(), O_RDWR));
  for (const int family : {AF_INET, AF_UNIX})
    opened(family == AF_UNIX ? "make a local socket" : "make a socket", ::socket(family, SOCK_STREAM, 0));
  char program[] = "/bin/true";
  char* words[] = {program, nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, program, nullptr, nullptr, words, environ) == 0) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) done.emplace_back("start a program");
  }
  if (::kill(::getppid(), 0) == 0) done.emplace_back("signal another process");
  if (::rename(file.c_str(), (file + "2").c_str()) == 0) {
    done.emplace_back("rename a file");
    ::rename((file + "2").c_str(), file.c_str());
  }
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) done.emplace_back("make memory that runs");
  return done;
}

}  // namespace hw::test
