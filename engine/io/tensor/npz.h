// *.npz: several NumPy arrays by name in a zip archive, as numpy.savez and savez_compressed write them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw {

/// By name, without ".npy"; other files in it are passed over. Errors HW-F001, HW-F003 with the array's name (damaged,
/// not an archive, a dtype or order that .npy files are refused for), HW-R001 (more than memory has free). `refused`
/// takes the errors of single arrays, by name, and the others are read; null: the first such is the result.
Result<std::map<std::string, Tensor>> read_npz(const std::filesystem::path& file,
                                               std::map<std::string, Error>* refused = nullptr);

}  // namespace hw
