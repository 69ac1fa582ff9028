// Which products and convolutions add the bias that follows them, in the same kernel.
#pragma once

#include <optional>

#include "engine/backend/gpu/regions.h"
#include "engine/backend/plan/memory_plan.h"

namespace hw::gpu {

/// An add of one number for each column of a product, each channel of a convolution.
struct FusedBias {
  ValueId bias = kNoValue, sum = kNoValue;
};

/// By instruction: of a product or a convolution (transposed too) whose only reader is the add that comes next, both in
/// one dtype, f32 or f64. In narrower dtypes the product's own rounding would be lost. ReLU stays a kernel of its own,
/// since the library does not say that NaN stays NaN; and so do the gradients of biases, whose sums have an order of
/// their own.
std::vector<std::optional<FusedBias>> fused_biases(const Program& program, std::span<const ValueId> keep);

/// The regions of a driver that makes kernels of them, where the program allows it; the adds that products make are in
/// none.
std::vector<Region> elementwise_regions(const Program& program, std::span<const ValueId> keep,
                                        const std::vector<std::optional<FusedBias>>& fused);

/// For the liveness plan: every instruction is a step, but that a product and its bias are one; what a region reads
/// stays to its end.
std::vector<plan::Step> steps_of(const Program& program, const std::vector<std::optional<FusedBias>>& fused,
                                 const std::vector<Region>& regions);

}  // namespace hw::gpu
