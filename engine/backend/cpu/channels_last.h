// Pictures that the cpu keeps channels last: N H W C in memory, as its convolutions compute them.
#pragma once

#include <span>
#include <vector>

#include "engine/program/program.h"

namespace hw::cpu {

/// By ValueId. Only where Program::any_layout allows it: temporaries N C H W that nobody reads as a whole, between
/// convolutions (of f32 sums) and ops that take each element by itself; `keep` and the outputs stay row-major. The same
/// elements are added in the same order: no bit changes. Source: PyTorch's torch.channels_last.
std::vector<bool> channels_last(const Program& program, std::span<const ValueId> keep);

}  // namespace hw::cpu
