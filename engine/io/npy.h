// *.npy arrays (NumPy format 1.0–3.0, C order).
#pragma once

#include <filesystem>

#include "engine/core/tensor.h"

namespace hw {

/// f8, f4, f2, i8, i4, i1, u1, b1, little endian. Errors HW-F001, HW-F003.
Result<Tensor> read_npy(const std::filesystem::path& file);
/// bf16 and f8 are written as f4. Atomic. Error HW-F002.
Status save_npy(const Tensor& tensor, const std::filesystem::path& file);

}  // namespace hw
