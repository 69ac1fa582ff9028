// Tensors that another program wrote, by name.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw {

/// By the names that they have in the other program.
using Dump = std::map<std::string, Tensor>;

/// Of a .npz file, a .npy file, or a folder: each .npy file in it and below is a tensor, named by its path there.
/// Errors HW-F001, HW-F003, HW-R001 with the file; HW-F001 where there is none.
Result<Dump> read_dump(const std::filesystem::path& from);

}  // namespace hw
