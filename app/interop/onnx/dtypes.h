// Dtypes by the numbers and names of ONNX (TensorProto.DataType).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/dtype.h"
#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw::interop {

/// A dtype of ONNX. One that Halfwire does not have may be held in a wider one, which has all of its values.
struct OnnxDType {
  enum class Kind : uint8_t { same, whole, unsigned_whole, small_float, none };
  int64_t number;
  const char* name;  // in ONNX: "UINT16"
  DType held;        // unless kind is none
  Kind kind = Kind::same;
  int bits = 0;  // of an element in a file, where it is held in a wider one

  bool is_held_wider() const { return kind != Kind::same && kind != Kind::none; }
  /// Whether the dtype that holds it has all of its values: not the larger half of UINT64.
  bool holds_all() const { return kind != Kind::unsigned_whole || bits < 64; }
  bool is_whole() const { return kind == Kind::whole || kind == Kind::unsigned_whole; }
};

/// Null: no such number.
const OnnxDType* find_onnx_dtype(int64_t number);
/// What it is, or is held in. None: Halfwire has no such dtype, and none that holds it.
std::optional<DType> dtype_of(int64_t number);
/// "UINT16"; "type 99" where the number is not known.
std::string onnx_name(int64_t number);
/// 0: ONNX has no such dtype (tf32). Floats of 8 bits are there from opset 19 on.
int64_t number_of(DType dtype);

/// Bytes of a file that `count` elements take, of a dtype that is there; several of fewer than 8 bits share one.
size_t packed_bytes(const OnnxDType& type, size_t count);
/// The elements of `dims` in packed bytes, the first in the lowest bits, in the dtype that holds them. Error: a value
/// is one that it does not have (of UINT64, from 2^63 on).
Result<Tensor> unpacked(const OnnxDType& type, const unsigned char* bytes, const Dims& dims);

/// HW-R002: what an operator or a node asks for is not supported, and why.
Error unsupported(const std::string& reason);

}  // namespace hw::interop
