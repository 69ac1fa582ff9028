// The states of a program's f64 twin.
#pragma once

#include "engine/backend/backend.h"

namespace hw {

/// `device`'s states for `twin`, made by widen_program of `program`, with the values of `real`. `masters`: where the
/// twin reads a parameter, it finds the master rather than the rounded view.
Result<std::shared_ptr<States>> widen_states(Device& device, const Program& program, const Program& twin,
                                             const States& real, bool masters = false);

}  // namespace hw
