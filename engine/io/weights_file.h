// *.safetensors: weights beside a graph. Format: github.com/huggingface/safetensors.
#pragma once

#include <filesystem>
#include <map>

#include "engine/core/tensor.h"

namespace hw {

/// What a file holds: tensors by name ("node.param"), and words about them ("step").
struct WeightsFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Checks header length, JSON, dtypes, shapes, offsets (no gap, no overlap, in range) before any memory is taken for
/// tensors. Errors HW-F001, HW-F003 with the tensor's name.
Result<WeightsFile> read_weights(const std::filesystem::path& file);
/// Atomic. Stable order and bytes. Error HW-F002.
Status save_weights(const WeightsFile& weights, const std::filesystem::path& file);

}  // namespace hw
