// Sums, products, layout and ops along an axis, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/layout_ops.h"
#include "engine/backend/gpu/ops/products.h"
#include "engine/backend/gpu/ops/rows.h"
#include "engine/backend/gpu/ops/sums.h"

namespace hw::gpu {

using cuda::CudaLauncher;

HW_SUMS_PLANNERS(CudaLauncher)
HW_LAYOUT_OPS_PLANNERS(CudaLauncher)
HW_PRODUCTS_PLANNERS(CudaLauncher)
HW_ROWS_PLANNERS(CudaLauncher)

}  // namespace hw::gpu
