// *.npy arrays (NumPy format 1.0–3.0): of either byte order, in C or in Fortran order.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "engine/core/tensor.h"

namespace hw {

/// The header of an array.
struct NpyHeader {
  DType dtype = DType::f32;  // what it becomes: it holds all values that the file's own dtype has
  Dims dims;
  uint64_t bytes = 0;       // of all elements in the file; it has as many after its header
  uint64_t data_at = 0;     // where they begin
  std::string_view stored;  // NumPy's name of the file's dtype without its byte order: "f4", "u2"
  bool swapped = false;     // big endian
  bool fortran = false;     // column after column
};
/// Reads no elements. f8 f4 f2 i8 i4 i1 u1 b1 as they are; i2 and u2 become i32, u4 and u8 become i64. Errors HW-F001,
/// HW-F003.
Result<NpyHeader> read_npy_header(const std::filesystem::path& file);
/// Row after row, whatever the order in the file. Holds the elements once, of Fortran order twice. Errors HW-F001,
/// HW-F003 (also: a u8 beyond i64), HW-R001 (more than memory has free, with the file).
Result<Tensor> read_npy(const std::filesystem::path& file);
/// The elements after a header, converted to `dtype` piece by piece.
Result<Tensor> read_npy(const std::filesystem::path& file, const NpyHeader& header, DType dtype);
/// Shows all elements in the file's order, a piece [n] at a time of the header's dtype; `at`: the first one's place.
Status each_npy_piece(const std::filesystem::path& file, const NpyHeader& header,
                      const std::function<void(const Tensor& piece, int64_t at)>& see);
/// A file's bytes; `where` names it in errors. Error HW-F003.
Result<Tensor> parse_npy(std::string bytes, const std::string& where);
/// bf16 and f8 are written as f4. Atomic. Error HW-F002.
Status save_npy(const Tensor& tensor, const std::filesystem::path& file);

}  // namespace hw
