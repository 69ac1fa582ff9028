// MemoryEstimate: the memory that training a graph takes, on the host and on devices with their own, before it is
// taken.
#pragma once

#include <map>

#include "engine/backend/backend.h"
#include "engine/core/memory.h"
#include "engine/plan/training_plan.h"

namespace hw {

/// Bytes.
struct MemoryEstimate {
  size_t parameters = 0;   // as stored, and their master copies
  size_t optimiser = 0;    // moments, averages, sums over micro-batches
  size_t activations = 0;  // forward values and gradients, by the liveness plan; what kernels and libraries keep
  size_t data = 0;         // meshes and their textures, pictures, data sets, constants, inputs
  size_t tiles = 0;        // part of `activations`: what goes with the number of threads
  size_t loaded = 0;       // part of `data`: what was read from files before, and is not to be taken any more
  size_t copies = 0;       // weights that are handed out while it runs, and those from before beside them; what is read
  size_t total() const { return parameters + optimiser + activations + data + copies; }
};

/// Estimates by place: the id of a device with its own memory, or "" for the host.
using MemoryByPlace = std::map<std::string, MemoryEstimate>;
/// The memory of both programs of a plan on `device`. Of data sets that stay on the host, `device` holds what is sent.
/// `on` (may be null): the device itself, which knows more about its GPUs than their ids. Error HW-C001 for an
/// unknown device.
Result<MemoryByPlace> estimate_memory_by_place(const TrainingPlan& plan, const std::string& device,
                                               Device* on = nullptr);
/// The same for a graph: lowers its training and reads its assets first. Errors of plan_training. Any thread.
Result<MemoryByPlace> estimate_memory_by_place(const Graph& graph, Assets& assets, const std::string& device);
/// The sum over all places.
Result<MemoryEstimate> estimate_memory(const TrainingPlan& plan, const std::string& device);
/// The size of one value of a program.
size_t bytes_of(const Value& value);
Result<MemoryEstimate> estimate_memory(const Graph& graph, Assets& assets, const std::string& device);

/// Error HW-R001 with the figures when `needed` is more than `available` bytes. `place`: as in MemoryByPlace; `node`
/// (may be empty): whose values take most.
Status check_fits(const MemoryEstimate& needed, size_t available, const std::string& place = "",
                  const std::string& node = "");
/// Whether a training on `device` fits into what is free: on the host, and on each GPU that takes part. States in
/// `there` (may be null) that it continues with are not counted again.
Status check_memory(const TrainingPlan& plan, Device& device, const States* there);
/// Whether one run of a program on `device` fits into what is free there. States in `there` (may be null) that it goes
/// on with are not counted again. `copies`: bytes that the caller takes on the host beside it.
Status check_memory(const Program& program, Device& device, const States* there = nullptr, size_t copies = 0);
/// Whether all values of the programs of a training fit, none in the place of another, where runs on `device` make
/// them.
Status check_all_values(const std::vector<std::shared_ptr<const Program>>& programs, Device& device,
                        const States* there);

}  // namespace hw
