// Sandbox of a process that parses untrusted bytes: code that a file makes the parser run can reach nothing.
#pragma once

#include <filesystem>
#include <span>

namespace hw {

/// What the kernel enforces from now on.
struct Confined {
  bool files = false;  // Landlock, Linux 5.13: of files none but the readable ones; TCP from 6.7
  bool calls = false;  // seccomp: see confine()
};

/// For the whole process, irrevocably. System calls: memory, time, files that are open, and no others: no network, no
/// other programs, no signals to others, nothing written by name; files are opened at all only where `readable` is not
/// empty, and then for reading. What else is tried fails with EPERM or EACCES. Files: `readable` and what lies below.
/// Where the kernel has no Landlock or seccomp (or the machine is neither x86-64 nor AArch64), that part is left out:
/// without Landlock a child that may open files may read all that the user may.
Confined confine(std::span<const std::filesystem::path> readable);

}  // namespace hw
