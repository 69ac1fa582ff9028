// Assimp, in this process: called by the import child alone.
#pragma once

#include <functional>

#include "engine/io/mesh/model.h"

namespace hw {

/// As load_model, without limits. `will_read` gets the bytes of each texture file before it is read.
Result<Model> import_model(const std::filesystem::path& file, Reach reach,
                           const std::function<void(uint64_t)>& will_read);
using ImportModel = std::function<Result<Model>(const std::filesystem::path&, Reach, std::function<void(uint64_t)>)>;

/// The child's part: limits and confines this process, reads `file` and of what it refers to what `reach` holds, writes
/// the outcome to child::kFd as model_bytes.h says. Returns the exit code: 0 when an outcome was written.
int import_model_as_child(const std::filesystem::path& file, const Reach& reach,
                          const ImportModel& import = import_model);

}  // namespace hw
