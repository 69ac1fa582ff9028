// Finds the nodes whose adjoints are wrong, among all nodes with wrong gradients behind their outputs.
#pragma once

#include "engine/gradient/grad_block_check.h"

namespace hw {

/// Sets the report's suspects, and `inherited` of its results. A node is suspect when a gradient that its backward pass
/// makes is wrong, and those that it is made of are not. Of several nodes that read one wire, those whose own part of
/// its gradient is wrong; all of them, where the sum is not what build_adjoint makes of parts. `run`: of the program's
/// twin.
Status name_suspects(const Program& program, const AdjointRun& run, const GradCheckOptions& options,
                     GradReport& report);

}  // namespace hw
