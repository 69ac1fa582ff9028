// Convolution, pooling, resizing and normalisation, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/convolution.h"
#include "engine/backend/gpu/ops/norms.h"
#include "engine/backend/gpu/ops/windows.h"

namespace hw::gpu {

using cuda::CudaLauncher;

template void plan_convolution<CudaLauncher>(OpContext&, const Driver&);
template void plan_pool<CudaLauncher>(OpContext&);
template void plan_resize<CudaLauncher>(OpContext&);
template void plan_channel_moments<CudaLauncher>(OpContext&);
template void plan_batch_norm<CudaLauncher>(OpContext&);
template void plan_group_norm<CudaLauncher>(OpContext&);

}  // namespace hw::gpu
