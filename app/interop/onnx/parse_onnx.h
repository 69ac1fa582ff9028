// The parser of ONNX files, in this process: called by the child of read_onnx alone, and by tests.
#pragma once

#include <functional>

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// As read_onnx, without limits. Errors HW-F001, HW-F003, HW-R001.
Result<OnnxModel> parse_onnx(const std::filesystem::path& file);
using ParseOnnx = std::function<Result<OnnxModel>(const std::filesystem::path& file)>;

/// The child's part: limits and confines this process to `file`, its folder and the folder that a link to it leads to,
/// parses it, writes the outcome to child::kFd as onnx_bytes.h says. Returns the exit code: 0 when an outcome was
/// written.
int parse_onnx_as_child(const std::filesystem::path& file, const ParseOnnx& parse = parse_onnx);

}  // namespace hw::interop
