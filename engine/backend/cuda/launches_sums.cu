// Sums, products, layout and ops along an axis, compiled for GPUs.
#include "engine/backend/cuda/cuda_launcher.cuh"
#include "engine/backend/gpu/ops/layout_ops.h"
#include "engine/backend/gpu/ops/products.h"
#include "engine/backend/gpu/ops/rows.h"
#include "engine/backend/gpu/ops/sums.h"

namespace hw::gpu {

using cuda::CudaLauncher;

template void plan_fold<CudaLauncher>(OpContext&);
template void plan_gradient_norm<CudaLauncher>(OpContext&);
template void plan_check_finite<CudaLauncher>(OpContext&);
template void plan_rearrange<CudaLauncher>(OpContext&);
template void plan_product<CudaLauncher>(OpContext&, const Driver&);
template void plan_softmax<CudaLauncher>(OpContext&);
template void plan_gather_elements<CudaLauncher>(OpContext&);

}  // namespace hw::gpu
