// The Launcher of ops/map.h on a GPU: one templated kernel for every functor.
#pragma once

#include "engine/backend/cuda/cuda_driver.h"
#include "engine/backend/cuda/cuda_error.h"
#include "engine/backend/gpu/layout.h"

namespace hw::cuda {

/// f(i) for i in [0, n), whatever the launch shape.
template <class F>
__global__ void map_kernel(int64_t n, F f) {
  const int64_t stride = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

struct CudaLauncher {
  template <class F>
  static Status launch(Driver& driver, int64_t n, const F& f) {
    auto& cuda = static_cast<CudaDriver&>(driver);
    HW_CHECK(cuda.enter());
    const LaunchShape shape = launch_shape(n);
    map_kernel<<<shape.blocks, shape.threads, 0, cuda.stream()>>>(n, f);
    HW_CUDA(cudaGetLastError());
    return ok();
  }
};

}  // namespace hw::cuda
