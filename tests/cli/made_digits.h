// The examples that come with the program, and the small data set that some of them need.
#pragma once

#include <algorithm>

#include "tests/cli/process.h"
#include "tests/engine/idx_files.h"

namespace hw::test {

inline std::string example(const std::string& name) {
  return std::string(HALFWIRE_EXAMPLES) + "/" + name + ".halfwire";
}

/// All that can be trained, as `example` takes them; dtype_clash has errors on purpose, networks have no Train.
inline std::vector<std::string> trainable_examples() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HALFWIRE_EXAMPLES)) {
    const std::filesystem::path& path = entry.path();
    const std::string folder = path.parent_path().filename();
    if (folder == "networks" || folder == "mistakes") continue;
    if (path.extension() == ".halfwire" && path.stem() != "dtype_clash")
      found.push_back(std::filesystem::relative(path, HALFWIRE_EXAMPLES).replace_extension().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// For the names of tests.
inline std::string letters_of(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

/// A small data set as asset:mnist for the processes started while this lives.
class MadeDigits {
 public:
  MadeDigits() {
    std::filesystem::create_directory(folder_ / "mnist");
    write_idx_set(folder_ / "mnist", {256, 64}, {28, 28}, 10);
    ::setenv("HALFWIRE_ASSETS", folder_.path().c_str(), 1);
  }
  ~MadeDigits() { ::unsetenv("HALFWIRE_ASSETS"); }

 private:
  TempFolder folder_;
};

}  // namespace hw::test
