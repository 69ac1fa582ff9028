#include "engine/io/tensor_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "engine/core/codes.h"
#include "engine/io/system_error.h"

namespace hw {
namespace {

constexpr uint64_t kSmallestMapped = 64 << 10;  // a map of its own costs a page fault or two and one of 65,530 places

Error no_file(const std::filesystem::path& file, const std::string& reason) {
  return {codes::file_unreadable, file.string(), reason + ".", "Check the path and its permissions."};
}

Error ends_early(const std::filesystem::path& file) {
  return no_file(file, "the file cannot be read to its end");
}

/// Null where the system refuses.
std::shared_ptr<std::byte> mapped(int descriptor, uint64_t at, uint64_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t before = at % page, length = before + bytes;
  void* base = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor,
                    static_cast<off_t>(at - before));
  if (base == MAP_FAILED) return {};
  return {static_cast<std::byte*>(base) + before, [base, length](std::byte*) { munmap(base, length); }};
}

}  // namespace

Result<TensorFile> TensorFile::open(const std::filesystem::path& file) {
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return no_file(file, ec ? ec.message() : "there is no such file");
  if (!std::filesystem::is_regular_file(file, ec)) return no_file(file, "this is not a file");
  TensorFile opened;
  opened.path_ = file;
  // Before there is anything to close: memory may be lacking.
  const std::shared_ptr<int> holder(new int(-1), [](const int* d) {
    if (*d >= 0) ::close(*d);
    delete d;
  });
  const int descriptor = *holder = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return unreadable(file, errno);
  opened.descriptor_ = holder;
  const off_t size = lseek(descriptor, 0, SEEK_END);
  if (size < 0) return unreadable(file, errno);
  opened.size_ = static_cast<uint64_t>(size);
  return opened;
}

Status TensorFile::read(uint64_t at, void* to, uint64_t bytes) const {
  auto* place = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(*descriptor_, place, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path_, errno);
    if (got == 0) return ends_early(path_);
    place += got;
    at += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
  return ok();
}

bool TensorFile::is_mapped(uint64_t at, DType dtype, uint64_t bytes) {
  return bytes >= kSmallestMapped && at % size_of(dtype) == 0;
}

Result<Tensor> TensorFile::tensor_at(uint64_t at, DType dtype, Dims dims) const {
  const uint64_t bytes = static_cast<uint64_t>(element_count(dims)) * size_of(dtype);
  if (at > size_ || bytes > size_ - at) return ends_early(path_);
  if (is_mapped(at, dtype, bytes))
    if (auto buffer = mapped(*descriptor_, at, bytes)) return Tensor(dtype, std::move(dims), std::move(buffer));
  Tensor tensor(dtype, std::move(dims));
  HW_CHECK(read(at, tensor.data(), bytes));
  return tensor;
}

}  // namespace hw
