// Messages that Assimp logs while it reads a file: it leaves faces out, or replaces them, and goes on.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct aiScene;

namespace hw {

/// Listens while it lives. One at a time in a process, as Assimp's log is.
class AssimpLog {
 public:
  AssimpLog();
  ~AssimpLog();
  AssimpLog(const AssimpLog&) = delete;
  AssimpLog& operator=(const AssimpLog&) = delete;
  /// A sentence for each of the first messages, which are untrusted text. Errors that change nothing in `scene` are
  /// left out.
  std::vector<std::string> errors(const aiScene& scene) const;
  std::vector<std::string> warnings() const;

 private:
  struct Messages;
  std::unique_ptr<Messages> messages_;
};

}  // namespace hw
