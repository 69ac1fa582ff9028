#include "engine/io/tensor/tensor_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/core/codes.h"
#include "engine/io/file/system_error.h"

namespace hw {
namespace {

constexpr uint64_t kSmallestMapped = 64 << 10;  // a map of its own costs a page fault or two and one of 65,530 places

Error no_file(const std::filesystem::path& file, const std::string& reason) {
  return {codes::file_unreadable, file.string(), reason + ".", "Check the path and its permissions."};
}

Error ends_early(const std::filesystem::path& file) {
  return no_file(file, "the file cannot be read to its end");
}

}  // namespace

Result<TensorFile> TensorFile::open(const std::filesystem::path& file) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return no_file(file, ec ? ec.message() : "there is no such file");
  if (!std::filesystem::is_regular_file(file, ec)) return no_file(file, "this is not a file");
  auto opened = std::make_shared<OpenFile>();  // before there is anything to close: memory may be lacking
  opened->path = file;
  opened->descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened->descriptor < 0) return unreadable(file, errno);
  struct stat status {};
  if (::fstat(opened->descriptor, &status) != 0) return unreadable(file, errno);
  opened->device = status.st_dev;
  opened->inode = status.st_ino;
  opened->size = static_cast<uint64_t>(status.st_size);
  opened->changed_s = status.st_mtim.tv_sec;
  opened->changed_ns = status.st_mtim.tv_nsec;
  TensorFile tensors;
  tensors.file_ = std::move(opened);
  return tensors;
}

Status TensorFile::check_is(const FileStamp& stamp) const {
  if (this->stamp() == stamp) return ok();
  return Error{codes::file_unreadable, path().string(), "the file was replaced or written over while it was read.",
               "Read it again when no other program writes it."};
}

Status TensorFile::read(uint64_t at, void* to, uint64_t bytes) const {
  auto* place = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(file_->descriptor, place, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(file_->path, errno);
    if (got == 0) return ends_early(file_->path);
    place += got;
    at += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
  return ok();
}

bool TensorFile::is_mapped(uint64_t at, DType dtype, uint64_t bytes) {
  return bytes >= kSmallestMapped && at % byte_count(dtype, 1) == 0;
}

Result<Tensor> TensorFile::tensor_at(uint64_t at, DType dtype, Dims dims) const {
  const uint64_t bytes = byte_count(dtype, element_count(dims));
  if (at > size() || bytes > size() - at) return ends_early(file_->path);
  if (is_mapped(at, dtype, bytes))
    if (auto buffer = map_bytes(file_, at, bytes)) return Tensor(dtype, std::move(dims), std::move(buffer));
  Tensor tensor(dtype, std::move(dims));
  HW_CHECK(read(at, tensor.data(), bytes));
  return tensor;
}

}  // namespace hw
