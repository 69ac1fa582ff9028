// What passes, layouts, threads and reused memory make of a program on the cpu, beside the same program without all of
// these, and that op by op beside the oracle, where it is small enough for that. Never more memory than was announced.
#pragma once

#include <memory>

#include "engine/plan/training_plan.h"

namespace hw::test {

/// In evaluation mode. Fails the test where a pass that rounds otherwise leaves an output of `program` further from its
/// exact value than declared, and where anything else changes a bit. Returns how many batch norms were folded.
size_t expect_passes_keep(const std::shared_ptr<const Program>& program);

/// Two steps of training. Fails the test where a bit of the loss, of a gradient or of a state changes.
void expect_layouts_keep(TrainingPlan plan);

}  // namespace hw::test
