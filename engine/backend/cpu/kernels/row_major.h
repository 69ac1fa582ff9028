// Kernels that know pictures in row-major order alone, beside pictures that are channels last.
#pragma once

#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

/// Whether the kernel of this op takes pictures in both layouts, those of an instruction all in the same one, but for
/// convolutions.
bool takes_channels_last(const Program& program, const Instr& instr);

/// The kernel as it is, or one that reorders its operands before and after it, tile by tile, where some are channels
/// last.
Kernel as_row_major(Kernel kernel, const KernelContext& c);

}  // namespace hw::cpu
