// Reading files: whole with a limit, or in parts; what that may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/core/result.h"

namespace hw {

/// The ending of a name with its dot, in small letters; empty without one.
std::string ending_of(const std::filesystem::path& file);
/// All bytes of a regular file. Error `code` (HW-F001 by default) with the system's reason, or when the file is larger
/// than `limit` bytes; nothing is read then.
Result<std::string> read_file_bytes(const std::filesystem::path& file, uint64_t limit, const char* code = nullptr);
/// The size of a regular file. Error HW-F001.
Result<uint64_t> size_of_file(const std::filesystem::path& file);
/// `size` bytes from `at` on. Error HW-F001, also where the file ends before.
Result<std::string> read_file_part(const std::filesystem::path& file, uint64_t at, uint64_t size);

/// Reads a file piece by piece into memory that is there already.
class FileReader {
 public:
  /// Error HW-F001.
  static Result<FileReader> open(const std::filesystem::path& file, uint64_t at);
  /// The next `size` bytes. Error HW-F001, also where the file ends before.
  Status read(void* to, uint64_t size);

 private:
  std::filesystem::path file_;
  std::ifstream in_;
};

/// Whether what is read from `file` fits into free memory. Error HW-R001 with both sizes at the file.
Status check_memory_for(const std::filesystem::path& file, uint64_t bytes);
/// The same where `free` bytes are.
Status check_memory_for(const std::filesystem::path& file, uint64_t bytes, uint64_t free);

}  // namespace hw
