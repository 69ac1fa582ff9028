// StoredTensor: a tensor of a model whose elements may still lie in its file.
#pragma once

#include <memory>

#include "app/interop/onnx/dtypes.h"
#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/io/tensor/tensor_file.h"

namespace hw::interop {

/// Its dtype and sizes are known; its elements are read when somebody asks for them. Copies share what is read as long
/// as somebody has it. One thread at a time.
class StoredTensor {
 public:
  StoredTensor() = default;
  /// In memory.
  StoredTensor(Tensor value) : dtype_(value.dtype()), dims_(value.dims()), value_(std::move(value)) {}
  /// In a file, from byte `at` on, as ONNX has the dtype there; `type` outlives it.
  StoredTensor(std::shared_ptr<const TensorFile> file, uint64_t at, const OnnxDType& type, Dims dims);

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int64_t size() const { return element_count(dims_); }
  size_t bytes() const { return byte_count(dtype_, size()); }
  /// Null: it is not in memory for good.
  const Tensor* in_memory() const { return source_ ? nullptr : &value_; }
  /// Where it lies, as it was made. Without a file: in memory, or turned.
  struct InFile {
    std::shared_ptr<const TensorFile> file;
    uint64_t at = 0;
    const OnnxDType* type = nullptr;
  };
  InFile in_file() const;
  /// Its elements, mapped where the file has them as memory would. Errors HW-F001, the file cannot be read or has
  /// changed; HW-D001, a value is one that the dtype has not; HW-R001, before memory is taken.
  Result<Tensor> read() const;
  /// A matrix [n, m] as [m, n]; that of what is turned is what it was, without a copy.
  StoredTensor turned() const;

 private:
  struct Source;
  DType dtype_ = DType::f32;
  Dims dims_;
  Tensor value_;                          // where there is no source
  std::shared_ptr<const Source> source_;  // null: in memory
};

}  // namespace hw::interop
