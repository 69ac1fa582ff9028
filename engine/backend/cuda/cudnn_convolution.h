// Convolutions by cuDNN, in builds with HALFWIRE_CUDNN.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>

#include "engine/backend/gpu/conv_shape.h"
#include "engine/core/result.h"

namespace hw::cuda {

/// On one GPU. Plans are kept by shape. One thread at a time.
class CudnnConvolution {
 public:
  virtual ~CudnnConvolution() = default;
  /// Scratch that this convolution takes. None: the library refuses it.
  virtual std::optional<size_t> scratch_bytes(const gpu::Convolution& convolution) = 0;
  /// Asynchronous on `stream`; the same GPU gives the same bits. Error HW-R005 with the library's message.
  virtual Status run(const gpu::Convolution& convolution, cudaStream_t stream) = 0;
};

/// For the current GPU. Error HW-R006 where the library cannot be started.
Result<std::unique_ptr<CudnnConvolution>> make_cudnn_convolution();

}  // namespace hw::cuda
