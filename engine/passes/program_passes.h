// Passes: rewritings of a program between lowering and the device that compiles it. What a pass makes computes the same
// values within the declared rounding of their ops, in less time. (Pass, in engine/program/pass.h, is a part of a
// training step.)
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

/// The op of `node` is computed in an op of `into`. Both are node paths.
struct PassNote {
  std::string_view pass;
  std::string node, into;
};

/// What a program is rewritten for.
struct PassTarget {
  std::string_view device;        // id of what runs nodes without a device of their own
  std::span<const ValueId> keep;  // values that must stay readable after a run, besides the outputs
};

struct ProgramPass {
  std::string_view name;     // as --no-pass takes it: "fold_batch_norm"
  std::string_view summary;  // a sentence
  /// Rewrites `program`. Values keep their ids; the outputs and those in `keep` keep what they are. What `ref` runs,
  /// the oracle, stays as it was lowered.
  void (*run)(Program& program, const PassTarget& target, std::vector<PassNote>& notes);
};

/// In the order they are applied.
std::span<const ProgramPass> program_passes();

/// Names of passes that are left out.
using PassesOff = std::set<std::string, std::less<>>;
/// All of them: a program is compiled as it was lowered.
PassesOff every_pass();
/// Error HW-C001: a name that no pass has.
Status check_passes(const PassesOff& off);

struct PassedProgram {
  std::shared_ptr<const Program> program;
  std::vector<PassNote> notes;
};
PassedProgram apply_passes(const Program& program, const PassTarget& target, const PassesOff& off = {});

}  // namespace hw
