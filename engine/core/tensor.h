// Tensor: dtype, sizes and a shared, contiguous buffer, 64-byte aligned where it is the tensor's own. Copies share the
// buffer.
#pragma once

#include <cstring>
#include <memory>

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

namespace hw {

/// Host memory, row major, contiguous. A Tensor handed to another thread is immutable: the giver stops writing.
class Tensor {
 public:
  Tensor() = default;
  /// Uninitialised storage. Asserts that dtype is storable and sizes are non-negative; throws std::bad_alloc.
  Tensor(DType dtype, Dims dims);
  /// Storage that is there: as many bytes as dtype and sizes ask for, aligned to the dtype alone (a mapped file's).
  Tensor(DType dtype, Dims dims, std::shared_ptr<std::byte> buffer);
  static Tensor zeros(DType dtype, Dims dims);
  /// Converts the values (nearest even) into `dtype`.
  static Tensor from_f64(DType dtype, Dims dims, std::span<const double> values);
  static Tensor from_f32(DType dtype, Dims dims, std::span<const float> values);

  bool empty() const { return !buffer_; }
  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int64_t size() const { return element_count(dims_); }
  size_t bytes() const { return byte_count(dtype_, size()); }
  void* data() { return buffer_.get(); }
  const void* data() const { return buffer_.get(); }
  template <class T>
  T* as() {
    return static_cast<T*>(data());
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data());
  }

  /// Deep copy.
  Tensor clone() const;
  /// Same buffer under other sizes (same element count).
  Tensor reshaped(Dims dims) const;
  /// Converted copy (one rounding, nearest even); shares the buffer when the dtype is the same.
  Tensor to(DType dtype) const;
  /// Values as f64; every dtype is exact in f64 except i64 above 2^53.
  std::vector<double> to_f64() const;

 private:
  DType dtype_ = DType::f32;
  Dims dims_;
  std::shared_ptr<std::byte> buffer_;
};

}  // namespace hw
