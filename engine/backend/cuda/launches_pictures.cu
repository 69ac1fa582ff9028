// Convolution, pooling, resizing and normalisation, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/convolution.h"
#include "engine/backend/gpu/ops/norms.h"
#include "engine/backend/gpu/ops/windows.h"

namespace hw::gpu {

using cuda::CudaLauncher;

HW_CONVOLUTION_PLANNERS(CudaLauncher)
HW_WINDOWS_PLANNERS(CudaLauncher)
HW_NORMS_PLANNERS(CudaLauncher)

}  // namespace hw::gpu
