// Optimisers and sources, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/cuda/ops/samplers.h"
#include "engine/backend/cuda/ops/updates.h"

namespace hw::cuda {

template void plan_update<CudaLauncher>(OpContext&);
template void plan_loss_scale<CudaLauncher>(OpContext&);
template void plan_running<CudaLauncher>(OpContext&);
template void plan_moments_update<CudaLauncher>(OpContext&);
template void plan_sample_surface<CudaLauncher>(OpContext&);
template void plan_sample_data<CudaLauncher>(OpContext&);

}  // namespace hw::cuda
