// *.npy arrays (NumPy format 1.0–3.0, C order).
#pragma once

#include <filesystem>

#include "engine/core/tensor.h"

namespace hw {

/// What is said of an array before its elements.
struct NpyHeader {
  DType dtype = DType::f32;
  Dims dims;
  uint64_t bytes = 0;    // of all elements; the file has as many after its header
  uint64_t data_at = 0;  // where they begin
};
/// Reads no elements. f8, f4, f2, i8, i4, i1, u1, b1, little endian. Errors HW-F001, HW-F003.
Result<NpyHeader> read_npy_header(const std::filesystem::path& file);
/// Holds the elements once. Errors HW-F001, HW-F003, HW-R001 (more than memory has free, with the file).
Result<Tensor> read_npy(const std::filesystem::path& file);
/// The elements after a header, converted to `dtype` piece by piece.
Result<Tensor> read_npy(const std::filesystem::path& file, const NpyHeader& header, DType dtype);
/// A file's bytes; `where` names it in errors. Error HW-F003.
Result<Tensor> parse_npy(std::string_view bytes, const std::string& where);
/// bf16 and f8 are written as f4. Atomic. Error HW-F002.
Status save_npy(const Tensor& tensor, const std::filesystem::path& file);

}  // namespace hw
