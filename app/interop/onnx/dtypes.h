// Dtypes by the numbers and names of ONNX (TensorProto.DataType).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/dtype.h"
#include "engine/core/result.h"

namespace hw::interop {

/// None: Halfwire has no such dtype.
std::optional<DType> dtype_of(int64_t number);
/// 0: opset 17 has no such dtype (tf32, floats of 8 bits).
int64_t number_of(DType dtype);

/// HW-R002: what an operator or a node asks for is not supported, and why.
Error unsupported(const std::string& reason);

}  // namespace hw::interop
