// Which kernels a node ran as, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/instrument/node_kernels.h"

namespace hw::cli {

/// {forward, backward, layers}, each kernel {storage, compute, accumulate, implementation}; no backward where no
/// gradient passes, layers by parameter where there are several.
nlohmann::ordered_json to_json(const NodeKernels& kernels);

}  // namespace hw::cli
