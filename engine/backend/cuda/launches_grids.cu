// The hash grid, the triplane and rows of tables, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/grid_tangents.h"

namespace hw::gpu {

using cuda::CudaLauncher;

HW_GRIDS_PLANNERS(CudaLauncher)
HW_GRID_TANGENTS_PLANNERS(CudaLauncher)

}  // namespace hw::gpu
