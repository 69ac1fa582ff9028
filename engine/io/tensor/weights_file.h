// *.safetensors: weights beside a graph. Format: github.com/huggingface/safetensors. GGUF is read, too.
#pragma once

#include <filesystem>
#include <map>

#include "engine/core/tensor.h"

namespace hw {

/// What a file holds: tensors by name ("node.param"), and metadata ("step").
struct WeightsFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
  /// Tensors of dtypes that Halfwire does not have, with what they are: "F4 [4, 8]: Halfwire has no such dtype".
  std::map<std::string, std::string> unread = {};
};

/// "a is not read: F4 [4, 8]: ..", a sentence each, those beyond the first few counted.
std::vector<std::string> unread_lines(const WeightsFile& weights);

/// Metadata that save_weights fills in where it is asked for, "crc32:" and 8 hexadecimal digits: of every tensor's
/// name, dtype, shape and bytes, and of the other metadata.
inline constexpr char kChecksum[] = "checksum";
/// Metadata: the names of the classes that were learnt, a JSON array of strings; of a text its characters.
inline constexpr char kClassNames[] = "class_names";

/// The weights of a file, which may be GGUF, or of all that the index of a sharded set ("NAME.safetensors.index.json")
/// names. Checks header length, JSON, dtypes, shapes, offsets (no gap, no overlap, in range) before any memory is taken
/// for tensors, then the checksum where there is one. Large tensors are mapped: their bytes are read when they are
/// used. Errors HW-F001, HW-F003 with the tensor's name, HW-R001 where what is not mapped is larger than the memory
/// that is free.
Result<WeightsFile> read_weights(const std::filesystem::path& file);
/// Copies what is mapped, so that nothing that happens to the file matters any more; the rest stays. Errors HW-R001 at
/// `file`, HW-F001 where a mapped file became shorter or was written over.
Status copy_mapped(std::map<std::string, Tensor>& tensors, const std::filesystem::path& file);
/// The metadata alone, none of an index; the tensors' bytes are not read, nor the checksum judged. Errors as
/// read_weights.
Result<std::map<std::string, std::string>> read_metadata(const std::filesystem::path& file);
/// What save_weights fills in.
std::string checksum_of(const WeightsFile& weights);
/// Atomic. Stable order and bytes. The checksum's metadata is filled in where its key is there. Errors HW-F002, HW-F001
/// of a tensor whose mapped file became shorter.
Status save_weights(const WeightsFile& weights, const std::filesystem::path& file);

}  // namespace hw
