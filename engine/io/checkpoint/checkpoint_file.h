// Checkpoints on disk: one safetensors file each, "checkpoint-000000020.safetensors" after 20 steps. Its tensors are
// the states by name, "#losses" and what else there is of each step; its metadata says where the run stood, whether the
// states are sound, and a checksum. It can be read as weights, too.
#pragma once

#include <filesystem>

#include "engine/train/checkpoint.h"

namespace hw {

inline constexpr int kCheckpointVersion = 1;

/// Atomic: a reader finds the whole checkpoint or none. Error HW-F002.
Status save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
/// Errors HW-F001, HW-F003 (damaged, too), HW-F004: nothing of a bad checkpoint is handed out. One whose states hold
/// Inf or NaN is read, and says so.
Result<Checkpoint> read_checkpoint(const std::filesystem::path& file);
/// Whether all states are finite, as its metadata says; where that says nothing (older versions) its states are read.
/// False where it cannot be read.
bool is_sound(const std::filesystem::path& file);

/// Where the optimiser's state of a weights' file lies, a checkpoint: "duck.safetensors" →
/// "duck.optimiser.safetensors".
std::filesystem::path optimiser_file(const std::filesystem::path& weights);
/// Whether there is such a file, and it is of these weights, by the checksums that both name. Neither's tensors are
/// read.
bool has_optimiser(const std::filesystem::path& weights);
/// The file's name after `step` steps.
std::string checkpoint_name(uint64_t step);

/// A checkpoint on disk, by its name: the file is not read.
struct CheckpointPlace {
  uint64_t step;
  std::filesystem::path file;
};
/// Checkpoints in a folder by their names, oldest first. Error HW-F001: the folder cannot be read.
Result<std::vector<CheckpointPlace>> list_checkpoints(const std::filesystem::path& folder);
/// The same, none where the folder cannot be read.
std::vector<CheckpointPlace> find_checkpoints(const std::filesystem::path& folder);
/// The file itself, or the newest checkpoint in a folder. Error HW-F001.
Result<std::filesystem::path> newest_checkpoint(const std::filesystem::path& file_or_folder);

}  // namespace hw
