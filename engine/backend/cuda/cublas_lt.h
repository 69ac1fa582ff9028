// cuBLASLt, loaded when the first GPU is used: a build with CUDA starts on machines without the library.
#pragma once

#include <cublasLt.h>

#include <memory>

#include "engine/backend/gpu/driver.h"

namespace hw::cuda {

/// Products on one GPU. Plans are kept by shape. One thread at a time.
class CublasLt {
 public:
  virtual ~CublasLt() = default;
  /// Asynchronous on `stream`. Sums that are split are added in a fixed order: the same GPU gives the same bits. Errors
  /// HW-R005 with the library's message; HW-R002: it has no kernel for the shape.
  virtual Status multiply(const gpu::Gemm& gemm, cudaStream_t stream) = 0;
};

/// For the current GPU. Error HW-R006 where the library cannot be loaded.
Result<std::unique_ptr<CublasLt>> make_cublas_lt();

}  // namespace hw::cuda
