// What parts of a step (micro-batches, ranks), or of a split, must know of each other before any of them is computed.
#pragma once

#include "engine/graph/lower/lower.h"
#include "engine/program/sample_states.h"

namespace hw {

/// States that part_sums' programs add up, which mean nothing between steps.
inline constexpr char kPartSum[] = "#part_sum";

/// A program that runs for all parts before the next one does: it adds up `sums`, states, over the parts of a rank.
/// Those of several ranks are added up before the next program.
struct PartSums {
  std::shared_ptr<const Program> program;
  std::vector<std::pair<std::string, ValueId>> sums;  // by name; in `program`
};

/// Puts in place of what `lowered` marks (OpBuilder::OfBatch) what all parts have, as far as that is not the mean of
/// what each part computes by itself: a number that the loss is no linear function of (a count it divides by), of
/// samples that differ from part to part. `share`: of the samples that this part has. `b`: of the lowered program,
/// which has no adjoint yet. `name`: of the states that are added up. Numbers made of others that all parts must know
/// first come in a later program. Empty: parts need not know of each other.
Result<std::vector<PartSums>> take_whole_batch(LoweredGraph& lowered, OpBuilder& b, double share,
                                               const std::string& name);

/// Which of the numbers that `lowered` marks are put in place of what a part has, and which are linear on their way to
/// what was lowered.
SampleStates::Numbers numbers_of(const LoweredGraph& lowered);

}  // namespace hw
