// MemoryEstimate: the host memory that training a graph takes, before it is taken.
#pragma once

#include "engine/run/training_plan.h"

namespace hw {

/// Bytes.
struct MemoryEstimate {
  size_t parameters = 0;   // as stored, and their master copies
  size_t optimiser = 0;    // moments, averages, sums over micro-batches
  size_t activations = 0;  // forward values and gradients, by the liveness plan
  size_t data = 0;         // meshes, their textures, constants, inputs
  size_t tiles = 0;        // part of `activations`: what goes with the number of threads
  size_t total() const { return parameters + optimiser + activations + data; }
};

/// Of both programs of a plan on a device. Error HW-C001 for an unknown device.
Result<MemoryEstimate> estimate_memory(const TrainingPlan& plan, const std::string& device);
/// Of one value of a program.
size_t bytes_of(const Value& value);
/// Lowers the graph's training first; reads its assets. Errors of plan_training. Any thread.
Result<MemoryEstimate> estimate_memory(const Graph& graph, Assets& assets, const std::string& device);

/// Error HW-R001 with the figures when `needed` is more than `available` bytes.
Status check_fits(const MemoryEstimate& needed, size_t available);
/// What the system could give now without swapping (Linux: MemAvailable); no limit when that cannot be known.
size_t available_memory();
/// "236 MiB", "1.4 GiB".
std::string memory_text(size_t bytes);

}  // namespace hw
