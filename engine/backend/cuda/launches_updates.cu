// Optimisers and sources, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/samplers.h"
#include "engine/backend/gpu/ops/updates.h"

namespace hw::gpu {

using cuda::CudaLauncher;

HW_UPDATES_PLANNERS(CudaLauncher)
HW_SAMPLERS_PLANNERS(CudaLauncher)

}  // namespace hw::gpu
