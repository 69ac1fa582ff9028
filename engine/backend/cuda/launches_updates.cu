// Optimisers and sources, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/samplers.h"
#include "engine/backend/gpu/ops/updates.h"

namespace hw::gpu {

using cuda::CudaLauncher;

template void plan_update<CudaLauncher>(OpContext&);
template void plan_loss_scale<CudaLauncher>(OpContext&);
template void plan_running<CudaLauncher>(OpContext&);
template void plan_moments_update<CudaLauncher>(OpContext&);
template void plan_sample_surface<CudaLauncher>(OpContext&);
template void plan_sample_data<CudaLauncher>(OpContext&);

}  // namespace hw::gpu
