// Tensors in files of ONNX: packed, sparse, or beside the model. For read_model.cpp alone.
#pragma once

#include <optional>
#include <string>

#include "app/interop/onnx/model_files.h"
#include "app/interop/onnx/proto.h"
#include "app/interop/onnx/stored_tensor.h"

namespace hw::interop {

/// Bytes of a file.
struct Place {
  uint64_t at = 0, size = 0;
};

/// Bytes of sparse tensors so far: in the files, and as a whole.
struct SparseBytes {
  double held = 0, whole = 0;
};

constexpr uint64_t kLargeTensor = 64 << 10;  // bytes; what has fewer is read with the model

/// HW-F003: what is damaged, and how.
Error damaged(const std::string& where, const std::string& reason);

/// In its dtype, or in the one that holds it; a large one is not read where a file has its bytes. `raw`: where the
/// model has its raw_data, which `t` then lacks. Errors: HW-F001, external data cannot be read or lie outside the
/// folders; HW-F003, damaged; HW-D001, no dtype holds it; HW-R001.
Result<StoredTensor> stored_tensor_of(const onnx::TensorProto& t, ModelFiles& files, std::optional<Place> raw = {});
/// The same, read.
Result<Tensor> tensor_of(const onnx::TensorProto& t, ModelFiles& files);
/// A sparse tensor as a whole. Errors as above; HW-D001, too, where it is very large.
Result<Tensor> dense(const onnx::SparseTensorProto& t, ModelFiles& files, SparseBytes& so_far);

}  // namespace hw::interop
