// The ops of the cuda device, compiled for the host.
#include "engine/backend/cuda/ops/convolution.h"
#include "engine/backend/cuda/ops/grid_tangents.h"
#include "engine/backend/cuda/ops/grids.h"
#include "engine/backend/cuda/ops/layout_ops.h"
#include "engine/backend/cuda/ops/norms.h"
#include "engine/backend/cuda/ops/plan_op.h"
#include "engine/backend/cuda/ops/pointwise.h"
#include "engine/backend/cuda/ops/products.h"
#include "engine/backend/cuda/ops/rows.h"
#include "engine/backend/cuda/ops/samplers.h"
#include "engine/backend/cuda/ops/sums.h"
#include "engine/backend/cuda/ops/updates.h"
#include "engine/backend/cuda/ops/windows.h"
#include "host_driver.h"

namespace hw::cuda {

// Every planner that a row of ops.def names.
template Status plan_op<test::HostLauncher>(OpContext&, const Driver&);

}  // namespace hw::cuda
