// Assimp, in this process: called by the import child alone.
#pragma once

#include <functional>

#include "engine/io/model.h"

namespace hw {

/// As load_model, without limits. `will_read` is told the bytes of each texture file before it is read.
Result<Model> import_model(const std::filesystem::path& file, Reach reach,
                           const std::function<void(uint64_t)>& will_read);

}  // namespace hw
