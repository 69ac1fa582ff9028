// The hash grid, the triplane and rows of tables, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/cuda/ops/grids.h"

namespace hw::cuda {

template void plan_hash_grid<CudaLauncher>(OpContext&);
template void plan_triplane<CudaLauncher>(OpContext&);
template void plan_gather<CudaLauncher>(OpContext&);

}  // namespace hw::cuda
