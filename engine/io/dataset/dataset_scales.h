// Whether the samples of two splits, each an array in a *.npy file, are numbers on one scale.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/result.h"

namespace hw {

/// Bytes stand for value / 255, numbers of other dtypes for themselves. A sentence where the magnitudes of one split
/// are at least eight times those of the other, by their mean and by their largest; else "". Of a large file a million
/// numbers are checked; what is not finite is left out. Errors: HW-A003, bytes in one split and in the other numbers
/// outside [0, 1], all of which are checked then; HW-A002.
Result<std::string> scale_mismatch(const std::filesystem::path& train, const std::filesystem::path& test);

}  // namespace hw
