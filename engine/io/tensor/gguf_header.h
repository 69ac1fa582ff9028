// GGUF: files of tensors as llama.cpp has them. Format: github.com/ggml-org/ggml, docs/gguf.md.
#pragma once

#include "engine/io/tensor/tensor_entry.h"
#include "engine/io/tensor/tensor_file.h"

namespace hw {

inline constexpr char kGguf[] = "GGUF";  // its first four bytes

/// The tensors of a GGUF file of version 2 or 3, their axes outermost first. Those quantised in blocks are unread; what
/// else it says of the model is passed over. Errors HW-F001; HW-F003 at `file`, of a damaged file, and of one that is
/// of another version or big-endian.
Result<TensorEntries> read_gguf_header(const TensorFile& in, const std::string& file);

}  // namespace hw
