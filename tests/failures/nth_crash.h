// The other process of the tests in nth_crash_test.cpp.
#pragma once

namespace hw::test {

/// The program's first word then.
inline constexpr char kDie[] = "--die-in-operation";
/// --die-in-operation INDEX FOLDER N: does an operation, and dies at the N-th change that it makes to files.
int die_in_operation(int argc, char** argv);

}  // namespace hw::test
