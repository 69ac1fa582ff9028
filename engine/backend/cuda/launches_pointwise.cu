// Elementwise ops, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/pointwise.h"

namespace hw::gpu {

using cuda::CudaLauncher;

template void plan_arithmetic<CudaLauncher>(OpContext&);
template void plan_affine<CudaLauncher>(OpContext&);
template void plan_unary<CudaLauncher>(OpContext&);
template void plan_binary<CudaLauncher>(OpContext&);
template void plan_compare<CudaLauncher>(OpContext&);
template void plan_cast<CudaLauncher>(OpContext&);
template void plan_random<CudaLauncher>(OpContext&);

}  // namespace hw::gpu
