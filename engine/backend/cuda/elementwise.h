// The shared elementwise bodies (engine/kernels/elementwise.h) launched on a GPU.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw::cuda {

/// Whether launch_elementwise has a kernel for `op`.
bool has_elementwise(Op op);

/// y[i] = op(a[i], b[i]) for n elements of one dtype, f32 or f64, in device memory; `b` is null for one input. `y` may
/// be an input. No broadcasting; `affine` is not among them. Asynchronous on `stream` (a cudaStream_t). Same bits as
/// the cpu device (f64 sigmoid: as good as the platform's exp). Errors: HW-R002 no kernel, HW-R005.
Status launch_elementwise(Op op, DType dtype, const Attr& attr, const void* a, const void* b, void* y, int64_t n,
                          void* stream);

}  // namespace hw::cuda
