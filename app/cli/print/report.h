// Errors on stderr and the exit codes that go with them.
#pragma once

#include <array>
#include <string_view>

#include "engine/graph/check/diagnostic.h"

namespace hw::cli {

enum Exit : int { kDone = 0, kGraphErrors = 1, kBadUsage = 2, kFile = 3, kInterrupted = 130, kTerminated = 143 };

/// All exit codes of all commands. --help prints them; resources/guide/terminal.md lists them.
struct ExitMeaning {
  Exit exit;
  std::string_view meaning;
};
inline constexpr std::array<ExitMeaning, 6> kExits{{
    {kDone, "done"},
    {kGraphErrors, "the graph has errors, a check found some, two graphs differ, or a run failed"},
    {kBadUsage, "bad usage: a word on the command line is wrong, such as a node that the graph does not have"},
    {kFile, "a file cannot be read or written, or may not be"},
    {kInterrupted, "stopped by Ctrl-C; train has written its results"},
    {kTerminated, "stopped by SIGTERM, likewise"},
}};
/// The exit code of an error: bad usage where its place is an option or argument ("--set mlp.size", "<node> mpl"), else
/// by its code (report.cpp).
int exit_code(const Error& error);
/// Prints "code at where: reason remedy" on stderr; returns exit_code. What is printed already has an empty code.
int report(const Error& error);
inline const Error kPrintedAlready{};
/// Prints "code at node.socket: reason (expected …, got …) remedies" on stderr.
void report(const Diagnostic& diagnostic);
/// The last error that was reported, in either way; "" in all its parts: none was.
const Error& last_reported();

}  // namespace hw::cli
