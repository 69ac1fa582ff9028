// Pictures that the cpu keeps channels last: N H W C in memory, as its convolutions compute them.
#pragma once

#include <span>
#include <vector>

#include "engine/program/program.h"

namespace hw::cpu {

/// By ValueId. Only where Program::any_layout allows it: temporaries N C H W without a reader of the whole, and where
/// fewer reorderings are left than without; `keep` and the outputs stay row-major. Convolutions, pools, batch norms and
/// ops that take each element by itself compute in both layouts, others through as_row_major. The same elements are
/// added in the same order: no bit changes. Source: PyTorch's torch.channels_last.
std::vector<bool> channels_last(const Program& program, std::span<const ValueId> keep);

}  // namespace hw::cpu
