// The hash grid, the triplane and rows of tables, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/grid_tangents.h"

namespace hw::gpu {

using cuda::CudaLauncher;

template void plan_hash_grid<CudaLauncher>(OpContext&);
template void plan_triplane<CudaLauncher>(OpContext&);
template void plan_hash_grid_tangent<CudaLauncher>(OpContext&);
template void plan_triplane_tangent<CudaLauncher>(OpContext&);
template void plan_gather<CudaLauncher>(OpContext&);

}  // namespace hw::gpu
