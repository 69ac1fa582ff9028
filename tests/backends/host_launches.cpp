// The ops of the cuda device, compiled for the host.
#include "engine/backend/gpu/ops/convolution.h"
#include "engine/backend/gpu/ops/grid_tangents.h"
#include "engine/backend/gpu/ops/grids.h"
#include "engine/backend/gpu/ops/layout_ops.h"
#include "engine/backend/gpu/ops/norms.h"
#include "engine/backend/gpu/ops/plan_op.h"
#include "engine/backend/gpu/ops/pointwise.h"
#include "engine/backend/gpu/ops/products.h"
#include "engine/backend/gpu/ops/rows.h"
#include "engine/backend/gpu/ops/samplers.h"
#include "engine/backend/gpu/ops/sums.h"
#include "engine/backend/gpu/ops/updates.h"
#include "engine/backend/gpu/ops/windows.h"
#include "host_driver.h"

namespace hw::gpu {

// Every planner that a row of ops.def names.
template Status plan_op<test::HostLauncher>(OpContext&, const Driver&);

}  // namespace hw::gpu
