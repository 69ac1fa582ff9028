// The cpu device: ops fused into row tiles over a pool of threads, vectorised loops chosen at run time, oneDNN
// products. Same seed, same program → the same bits at any thread count; all but matrix products: on any instruction
// set.
#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "engine/backend/temp_bytes.h"
#include "engine/core/cpu_features.h"

namespace hw {

/// Runs on the pool of engine/core/parallel.h. `isa`: at most what this CPU has.
std::shared_ptr<Device> make_cpu_device(Isa isa);
std::shared_ptr<Device> make_cpu_device();

namespace cpu {
/// What a program takes on it beside its states: values, what kernels keep, and the tiles of all threads.
TempBytes temp_bytes(const Program& program);
}  // namespace cpu

}  // namespace hw
