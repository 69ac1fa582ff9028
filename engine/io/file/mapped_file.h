// Files that are mapped into memory. One that becomes shorter, or is written over, while it is mapped is an error for
// whoever used its bytes; without this it is SIGBUS, the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "engine/core/result.h"

namespace hw {

/// A file that is open for reading, as it was when it was opened.
struct OpenFile {
  std::filesystem::path path;
  int descriptor = -1;
  uint64_t size = 0;
  int64_t changed_s = 0, changed_ns = 0;  // when its content last changed
  uint64_t device = 0, inode = 0;         // which file it is, whatever its name
  ~OpenFile();
};

/// Whether it still is as it was. Error HW-F001 with the file: it became shorter, or was written over.
Status check_unchanged(const OpenFile& file);

/// Bytes of it, private to this process: what is written into them stays here. They are mapped until the last copy of
/// the pointer is gone. Null where the system refuses. What the file no longer has reads as 0.
std::shared_ptr<std::byte> map_bytes(std::shared_ptr<const OpenFile> file, uint64_t at, uint64_t bytes);

/// Whether these bytes are a file's, by map_bytes. Any thread.
bool is_mapped(const void* bytes);
/// Whether the file that these bytes are mapped from still has them: whoever has read them asks afterwards. Of other
/// memory: it has. Error HW-F001 with the file. Any thread.
Status check_mapped(const void* bytes);
/// The same of everything that was ever mapped in this process, also what is mapped no more: for programs that do one
/// thing and end.
Status check_all_mapped();

}  // namespace hw
