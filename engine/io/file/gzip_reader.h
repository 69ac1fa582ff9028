// A file that may be packed by gzip, read from its beginning on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/core/descriptor.h"
#include "engine/core/result.h"

namespace hw {

/// Hands plain files through as they are. Several members are read as one; what follows the last is left.
class GzipReader {
 public:
  /// Error HW-F001.
  static Result<GzipReader> open(const std::filesystem::path& file);
  GzipReader(GzipReader&&) noexcept;
  GzipReader& operator=(GzipReader&&) noexcept;
  ~GzipReader();

  bool is_packed() const { return inflate_ != nullptr; }
  /// The next `size` bytes; how many there are, fewer only at the end. Errors HW-F001 with the system's reason; HW-F003
  /// where what is packed is damaged or cut short.
  Result<uint64_t> read(void* to, uint64_t size);

 private:
  struct Inflate;
  GzipReader(std::filesystem::path file, Fd descriptor);
  /// Reads on until `bytes` are there, or the file ends.
  Status look(size_t bytes);
  bool at_member() const;

  std::filesystem::path file_;
  Fd descriptor_;
  std::string ahead_;  // what was read and is not used yet
  std::unique_ptr<Inflate> inflate_;
  bool ended_ = false;  // the last member
};

}  // namespace hw
