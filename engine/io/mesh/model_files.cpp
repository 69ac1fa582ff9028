#include "engine/io/mesh/model_files.h"

#include <assimp/MemoryIOWrapper.h>

#include "engine/io/file/file_bytes.h"

namespace hw {
namespace {

constexpr uint64_t kMaxMtl = uint64_t{16} << 20;

struct Held {
  std::string text;
};
/// A text that Assimp reads as a file, and owns.
class TextStream : private Held, public Assimp::MemoryIOStream {
 public:
  explicit TextStream(std::string bytes)
      : Held{std::move(bytes)},
        MemoryIOStream(reinterpret_cast<const uint8_t*>(Held::text.data()), Held::text.size()) {}
};

}  // namespace

/// What does not exist need not be refused.
bool ModelFiles::may_read(const char* file) const {
  const Status allowed = reach_.check(file, file);
  std::error_code ec;
  if (!allowed && std::filesystem::is_regular_file(file, ec)) read_.refused.insert(allowed.error().where);
  return static_cast<bool>(allowed);
}

Assimp::IOStream* ModelFiles::Open(const char* file, const char* mode) {
  if (!may_read(file)) return nullptr;
  if (const auto found = instead_.find(file); found != instead_.end())
    return new Assimp::MemoryIOStream(reinterpret_cast<const uint8_t*>(found->second.data()), found->second.size());
  if (ending_of(file) == ".mtl") {
    if (const auto text = read_file_bytes(file, kMaxMtl)) return new TextStream(without_mtl_options(*text, read_.mtl));
  }
  return DefaultIOSystem::Open(file, mode);
}

}  // namespace hw
