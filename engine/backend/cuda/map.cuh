// One templated kernel for every elementwise body: a grid-stride loop.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/core/compat.h"

namespace hw::cuda {

/// f(i) for i in [0, n).
template <class F>
__global__ void map_kernel(int64_t n, F f) {
  const int64_t stride = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

template <class F>
cudaError_t map(int64_t n, cudaStream_t stream, F f) {
  if (n <= 0) return cudaSuccess;
  constexpr int64_t kThreads = 256, kBlocks = 65535;
  const int64_t blocks = std::min((n + kThreads - 1) / kThreads, kBlocks);
  map_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(kThreads), 0, stream>>>(n, f);
  return cudaGetLastError();
}

}  // namespace hw::cuda
