#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/graph/check/validate.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/fuzz/fuzz_files.h"

namespace hw::fuzz {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void require_useful(const Error& e) {
  require(!e.code.empty() && !e.where.empty() && !e.reason.empty() && !e.remedy.empty(),
          "an error has a code, a place, a reason and a remedy");
}

/// A file in memory with these bytes.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "the file can be written");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

bool same(const WeightsFile& a, const WeightsFile& b) {
  if (a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) return false;
  for (const auto& [name, t] : a.tensors) {
    const auto it = b.tensors.find(name);
    if (it == b.tensors.end() || it->second.dtype() != t.dtype() || it->second.dims() != t.dims()) return false;
    if (t.bytes() > 0 && std::memcmp(it->second.data(), t.data(), static_cast<size_t>(t.bytes())) != 0) return false;
  }
  return true;
}

}  // namespace

bool check_graph(std::string_view text) {
  const auto graph = parse_graph(text, "file.halfwire");
  if (!graph) return require_useful(graph.error()), false;
  const std::string written = write_graph(*graph);
  const auto again = parse_graph(written, "again.halfwire");
  if (!again) std::fprintf(stderr, "%s\n", again.error().text().c_str());
  require(static_cast<bool>(again), "what was written can be read");
  require(*again == *graph, "what was written is the same graph");
  require(write_graph(*again) == written, "the same graph gives the same bytes");
  Validator validator;
  validator.reset(*graph);
  for (const Diagnostic& d : validator.all()) require(!d.code.empty() && !d.reason.empty(), "a diagnostic says why");
  return true;
}

bool check_weights(std::string_view bytes) {
  const MemoryFile file(bytes);
  const auto weights = read_weights(file.path());
  if (!weights) return require_useful(weights.error()), false;
  uint64_t total = 0;
  for (const auto& [name, tensor] : weights->tensors) total += static_cast<uint64_t>(tensor.bytes());
  require(total <= bytes.size(), "tensors are no larger than their file");
  char folder[] = "/tmp/halfwire-fuzz-XXXXXX";
  require(::mkdtemp(folder) != nullptr, "a temporary folder can be made");
  const std::filesystem::path copy = std::filesystem::path(folder) / "copy.safetensors";
  const Status saved = save_weights(*weights, copy);
  const auto again = saved ? read_weights(copy) : Result<WeightsFile>(saved.error());
  std::filesystem::remove_all(folder);
  if (!again) std::fprintf(stderr, "%s\n", again.error().text().c_str());
  require(again && same(*weights, *again), "weights come back the same");
  return true;
}

}  // namespace hw::fuzz
