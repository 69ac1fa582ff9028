// Starts the update counts of elements where only those of their parameter were counted so far.
#pragma once

#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace hw {

/// Writes the updates (kUpdates) of each element of `param` from its moments: `updates`, or 65535 where that is more,
/// and none where both moments are 0: nothing has moved it yet. `notes` (may be null) reports it.
Status initialise_update_counts(States& states, const std::string& param, uint64_t updates,
                                std::vector<std::string>* notes);

}  // namespace hw
