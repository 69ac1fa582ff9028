// Elementwise ops, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/pointwise.h"

namespace hw::gpu {

using cuda::CudaLauncher;

HW_POINTWISE_PLANNERS(CudaLauncher)

}  // namespace hw::gpu
