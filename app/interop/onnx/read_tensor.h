// Tensors in files of ONNX: packed, sparse, or beside the model. For read_model.cpp alone.
#pragma once

#include <filesystem>

#include "app/interop/onnx/proto.h"
#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw::interop {

/// Where a model lies: as it was named, and where the link to it leads, as in a cache of downloads.
struct Folders {
  std::filesystem::path named, real;
};

Folders folders_of(const std::filesystem::path& file);

/// HW-F003: what is damaged, and how.
Error damaged(const std::string& where, const std::string& reason);

/// In its dtype, or in the one that holds it. Errors: HW-F001, external data cannot be read or lie outside the folders;
/// HW-F003, damaged; HW-D001, no dtype holds it.
Result<Tensor> tensor_of(const onnx::TensorProto& t, const Folders& folders);
/// A sparse tensor as a whole. Errors as above; HW-D001, too, where it is very large.
Result<Tensor> dense(const onnx::SparseTensorProto& t, const Folders& folders);

}  // namespace hw::interop
