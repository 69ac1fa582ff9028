// What random ops draw, on a GPU: the words, masks and numbers of the cpu device.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw::cuda {

/// y[i] = x[i] dropped or kept, for n elements of one dtype, f32 or f64, in device memory, from element `draw.first`
/// on. `y` may be `x`. Asynchronous on `stream` (a cudaStream_t). Same bits as the cpu device. Errors: HW-R002,
/// HW-R005.
Status launch_dropout(DType dtype, const DropoutAttr& attr, const Draw& draw, const void* x, void* y, int64_t n,
                      void* stream);

/// y[i] = element draw.first + i of the op `random`, for n elements of attr.dtype, f32 or f64. Same bits as the cpu
/// device (f64 normal: as good as the platform's log, sine and cosine).
Status launch_random(const RandomAttr& attr, const Draw& draw, void* y, int64_t n, void* stream);

}  // namespace hw::cuda
