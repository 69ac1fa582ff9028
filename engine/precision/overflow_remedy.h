// What an overflow asks for: which nodes are to be kept wide.
#pragma once

#include <functional>

#include "engine/precision/xray.h"

namespace hw {

/// Follows `first`, which became Inf or NaN as `item` says, through the pass to where finite numbers are made of it:
/// these are wrong, and nothing else shows it. `read`: a value of the program, which has run.
Result<std::string> overflow_remedy(const Program& program, ValueId first, const XrayItem& item,
                                    const std::function<Result<Tensor>(ValueId)>& read);

}  // namespace hw
