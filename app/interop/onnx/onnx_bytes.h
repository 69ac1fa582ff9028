// A model of ONNX, or why there is none, as bytes between the child that parses it and its parent on one machine.
#pragma once

#include <memory>
#include <string_view>

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// Writes to a file descriptor. Tensors that lie in files are named by their places there. False: the write failed
/// (full, limit).
bool write_onnx_bytes(int fd, const Result<OnnxModel>& outcome);

/// Nothing in `bytes` is trusted: counts are checked against the bytes that are left, places against files that a model
/// in `file` may name; memory is taken as what is read asks for it. `open`: the same file, open for the tensors that
/// lie in it. Errors: HW-A004 at `file` when they do not fit; HW-F001, a file is not the one that was read; HW-R001;
/// else the outcome that was written.
Result<OnnxModel> read_onnx_bytes(std::string_view bytes, const std::filesystem::path& file,
                                  std::shared_ptr<const TensorFile> open);

}  // namespace hw::interop
