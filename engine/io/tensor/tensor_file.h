// A file whose bytes are read as tensors: the large ones are mapped, so that what is not used is never read.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/io/file/mapped_file.h"

namespace hw {

/// What distinguishes a file from another of the same name, and from itself after it was written to.
struct FileStamp {
  uint64_t device = 0, inode = 0;
  uint64_t size = 0;
  int64_t changed_s = 0, changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

class TensorFile {
 public:
  /// A regular file. Error HW-F001.
  static Result<TensorFile> open(const std::filesystem::path& file);

  const std::filesystem::path& path() const { return file_->path; }
  uint64_t size() const { return file_->size; }
  /// See check_unchanged.
  Status check() const { return check_unchanged(*file_); }
  FileStamp stamp() const { return {file_->device, file_->inode, file_->size, file_->changed_s, file_->changed_ns}; }
  /// Whether it is the file that had this stamp. Error HW-F001: it is another by now, or was written over.
  Status check_is(const FileStamp& stamp) const;
  /// Error HW-F001, also where the file ends before.
  Status read(uint64_t at, void* to, uint64_t bytes) const;
  /// Whether tensor_at maps these bytes: there are many of them, and they begin where the dtype's elements may.
  static bool is_mapped(uint64_t at, DType dtype, uint64_t bytes);
  /// The bytes from `at` on as a tensor: mapped, private to this process, each tensor by itself until its last copy is
  /// gone; or copied. What another program writes into the file meanwhile may show in a mapped tensor: check_mapped
  /// (mapped_file.h) says so. Error HW-F001, also where the file ends before.
  Result<Tensor> tensor_at(uint64_t at, DType dtype, Dims dims) const;

 private:
  std::shared_ptr<const OpenFile> file_;
};

}  // namespace hw
