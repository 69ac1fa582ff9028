// read_onnx: the parser of an untrusted file may crash, hang or take much memory; it runs in a child process.
#include <algorithm>

#include "app/interop/onnx/model_files.h"
#include "app/interop/onnx/onnx_bytes.h"
#include "app/interop/onnx/parse_onnx.h"
#include "engine/io/child/reading_child.h"
#include "engine/io/file/file_bytes.h"

namespace hw::interop {
namespace {

namespace fs = std::filesystem;

/// What the child may take, in bytes. A whole number that takes one byte of the file takes 8 in its message, twice that
/// while the message grows, and 8 in its tensor.
constexpr uint64_t kBase = 3'000'000'000;  // also a sparse tensor, which may be 1 GiB as a whole
constexpr uint64_t kTimes = 32, kOutcomeTimes = 8;

uint64_t most_memory(uint64_t file_bytes) {
  return kBase + kTimes * std::min(file_bytes, kMostOnnxBytes);
}

}  // namespace

Result<OnnxModel> read_onnx(const fs::path& file) {
  HW_TRY(const uint64_t size, size_of_file(file));
  HW_TRY(TensorFile opened, TensorFile::open(file));
  HW_TRY(const child::Ran ran, child::run({{"parse-onnx", "--", file.string()}, file, "model", most_memory(size)}));
  if (!ran.outcome) return ran.fault.error;
  const std::string_view bytes = ran.outcome->bytes();
  HW_CHECK(check_memory_for(file, bytes.size()));  // beside them: what is read of them is copied
  return read_onnx_bytes(bytes, file, std::make_shared<const TensorFile>(std::move(opened)));
}

int parse_onnx_as_child(const fs::path& file, const ParseOnnx& parse) {
  const uint64_t size = std::min(child::size_or_none(file), kMostOnnxBytes);
  const child::Limits limits{most_memory(size), child::kMaxOutcome + kOutcomeTimes * size};
  const ModelFiles files(file);
  // How much memory is free is asked before it is taken.
  const fs::path readable[]{file, files.named_folder(), files.real_folder(), "/proc/meminfo"};
  return child::serve(file, limits, readable,
                      [&](const child::WillRead&) { return write_onnx_bytes(child::kFd, parse(file)); });
}

}  // namespace hw::interop
