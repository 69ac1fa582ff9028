// The files beside a graph's file that keep its weights, and the optimiser's state that belongs to them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/io/file/reach.h"
#include "engine/io/tensor/weights_file.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"

namespace hw::workspace {

// `file` is that of the weights: weights_file(). Any thread; what opens files takes as long as they are large.

/// The weights of a graph's file: the same stem, .safetensors. The optimiser's state: see optimiser_file.
std::filesystem::path weights_file(const std::filesystem::path& graph);

/// Whether both files may be read, where they are. Error HW-A006. Nothing is opened.
Status may_read_weights(const Reach& reach, const std::filesystem::path& file);

struct WeightsBeside {
  Weights tensors;                           // in memory of their own
  std::shared_ptr<const Checkpoint> states;  // of these weights; null: there are none
  std::optional<Error> problem;              // why states that lie there are not taken
};
/// The error is that of the weights.
Result<WeightsBeside> read_weights_beside(const std::filesystem::path& file);

/// What a file of these weights holds: tensors by the names that other tools have for them, which `flat` knows, and,
/// beside `more` of metadata, the checksum that the optimiser's state refers to.
WeightsFile weights_to_save(const Graph& flat, Weights weights, std::map<std::string, std::string> more = {});
/// The optimiser's state beside weights that were saved in `file`. Error HW-F002.
Status save_optimiser(Checkpoint states, const WeightsFile& saved, const std::filesystem::path& file);

/// Writes the weights, or those of the states where these have some, and the states beside them; without states none
/// stay there that would belong to other weights. Error HW-F002.
Status save_weights_beside(const Graph& flat, const Weights& weights, const Checkpoint* states,
                           const std::filesystem::path& file);

/// Copies a file of weights and the optimiser's state beside it, as they are. Error HW-F002.
Status copy_weights_beside(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace hw::workspace
