// The ops of the Vulkan device: the launches of every planner that a row of ops.def names.
#include <cstddef>

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
#include "engine/backend/vulkan/launcher.h"

namespace hw::gpu {

// What kernels name by number: dtypes (common.glsl), comparisons.
static_assert(static_cast<int>(DType::f32) == 1 && static_cast<int>(DType::f16) == 3 &&
              static_cast<int>(DType::f8e5m2) == 6 && static_cast<int>(DType::i8) == 7 &&
              static_cast<int>(DType::boolean) == 11);
static_assert(static_cast<int>(CompareFn::not_equal) == 1 && static_cast<int>(CompareFn::less) == 2 &&
              static_cast<int>(CompareFn::greater) == 4 && static_cast<int>(CompareFn::greater_equal) == 5);
static_assert(offsetof(StepData, starts_sums) == 32);

template Status plan_op<vulkan::VulkanLauncher>(OpContext&, const Driver&);

}  // namespace hw::gpu
