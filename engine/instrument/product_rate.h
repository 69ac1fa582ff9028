// How fast a device multiplies at best, measured on the spot: the lower bound that the times of products are compared
// with.
#pragma once

#include "engine/backend/backend.h"

namespace hw {

/// Multiplications and additions a second (as Work::products counts them) with factors of `dtype`: the better of a
/// dense product [2048, 1024] × [1024, 1024] and of a convolution of 8 pictures [64, 56, 56] with 64 kernels 3 × 3, the
/// best of a few runs, some hundredths of a second each on a CPU. Blocks. Errors: the device's.
Result<double> measure_product_rate(Device& device, DType dtype);

/// By node path: the products of its instructions in a run of `program`, forward and backward.
std::map<std::string, double> products_by_node(const Program& program);

}  // namespace hw
