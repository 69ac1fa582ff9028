// The Driver that calls CUDA, and its Launcher.
#pragma once

#include <cuda_runtime_api.h>

#include "engine/backend/cuda/cublas_lt.h"
#include "engine/backend/cuda/cudnn_convolution.h"
#include "engine/backend/cuda/gpus.h"

namespace hw::cuda {

using namespace gpu;

class CudaDriver : public Driver {
 public:
  /// The driver of gpus()[index].
  static Result<std::shared_ptr<Driver>> make(size_t index, const Gpu& gpu, size_t resident_bytes);
  ~CudaDriver() override;

  std::string id() const override { return "cuda:" + std::to_string(index_); }
  std::string description() const override;
  std::string implementation() const override { return "cuda " + chip(); }
  std::string product_implementation() const override { return "cuBLASLt " + chip(); }
  ProductCounts products() const override { return made_; }
  bool multiplies(DType operand) const override;
  Result<DeviceMemory> memory() const override;
  Result<void*> allocate(size_t bytes) override;
  void release(void* memory) override;
  Status upload(void* to, const void* from, size_t bytes) override;
  Status download(void* to, const void* from, size_t bytes) override;
  Status copy(void* to, const void* from, size_t bytes) override;
  Status clear(void* memory, size_t bytes) override;
  Status multiply(const Gemm& gemm) override;
  std::string convolution_implementation() const override { return convolutions_ ? "cuDNN " + chip() : ""; }
  std::optional<size_t> convolution_bytes(const Convolution& convolution) const override;
  Status convolve(const Convolution& convolution) override;
  Status wait() override;
  size_t resident_bytes() const override { return resident_bytes_; }
  Result<void*> allocate_pinned(size_t bytes) override;
  void release_pinned(void* memory) override;
  Result<std::unique_ptr<HostCopy>> make_transfer() override;
  Status send(HostCopy& transfer, void* to, const void* pinned, size_t bytes) override;
  Status await(HostCopy& transfer) override;
  Status arrive(HostCopy& transfer) override;
  Status begin_recording() override;
  Result<std::unique_ptr<Recording>> end_recording() override;
  Status replay(Recording& recording) override;
  Status set_mark(size_t mark) override;
  double seconds_between(size_t from, size_t to) override;
  Status plan(OpContext& c) override;

  cudaStream_t stream() const { return stream_; }
  /// Makes the GPU current on the calling thread.
  Status enter() const;

 private:
  CudaDriver(size_t index, const Gpu& gpu, size_t resident_bytes)
      : index_(index), gpu_(gpu), resident_bytes_(resident_bytes) {}
  Status start();
  /// "sm_90".
  std::string chip() const { return "sm_" + std::to_string(gpu_.major) + std::to_string(gpu_.minor); }

  size_t index_;
  Gpu gpu_;
  size_t resident_bytes_;
  cudaStream_t stream_ = nullptr, transfers_ = nullptr;
  std::vector<cudaEvent_t> marks_;
  std::unique_ptr<CublasLt> products_;
  std::unique_ptr<CudnnConvolution> convolutions_;  // null: built without
  ProductCounts made_;
};

}  // namespace hw::cuda
