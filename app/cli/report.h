// Errors on stderr and the exit codes that go with them.
#pragma once

#include "engine/graph/diagnostic.h"

namespace hw::cli {

/// done 0; graph_errors 1: the graph, or running it, failed; usage 2; file 3: a file cannot be read or written.
enum Exit : int { kDone = 0, kGraphErrors = 1, kBadUsage = 2, kFile = 3 };

/// The exit code of an error, from its code's letter: HW-F… and missing or unreadable assets 3, HW-C… 2, others 1.
int exit_code(const Error& error);
/// Prints "code at where: reason remedy" on stderr; returns exit_code.
int report(const Error& error);
/// Prints "code at node.socket: reason (expected …, got …) remedies" on stderr.
void report(const Diagnostic& diagnostic);

}  // namespace hw::cli
