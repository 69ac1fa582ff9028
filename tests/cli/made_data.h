// The examples that come with the program, and small data sets that some of them need.
#pragma once

#include <algorithm>

#include "tests/cli/process.h"
#include "tests/engine/idx_files.h"
#include "tests/engine/wav_files.h"

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

/// An example made so small that checks of all its values take seconds.
inline std::vector<std::string> small(const std::string& name) {
  std::vector<std::string> words{example(name)};
  const auto set = [&](const std::string& what) { words.insert(words.end(), {"--set", what}); };
  if (name == "language_model") {
    for (const char* what : {"data.sample=[9]", "table.shape=[65,16]"}) set(what);
    for (const char* block : {"block_1", "block_2", "block_3", "block_4"})
      for (const char* what : {".hidden=16", ".mlp=32"}) set(std::string(block) + what);
  }
  if (name == "spoken_digits") {
    for (const char* what : {"data.sample=[1,1024]", "stage_1.kernel=[8]"}) set(what);
    for (const char* stage : {"stage_1", "stage_2", "stage_3", "stage_4"}) set(std::string(stage) + ".channels=4");
  }
  return words;
}

/// For the names of tests.
inline std::string letters_of(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

/// Small data sets as asset:mnist, asset:text and asset:spoken_digits for the processes started while this lives.
class MadeData {
 public:
  MadeData() {
    for (const char* name : {"mnist", "text"}) std::filesystem::create_directory(folder_ / name);
    write_idx_set(folder_ / "mnist", {256, 64}, {28, 28}, 10);
    std::string text;
    for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * i) + "\n";
    write_bytes(folder_ / "text/numbers.txt", text);
    for (int digit = 0; digit < 10; ++digit) {
      for (const char* split : {"train", "test"}) {
        const std::filesystem::path at = folder_ / "spoken_digits" / split / std::to_string(digit);
        std::filesystem::create_directories(at);
        std::vector<int16_t> tone;
        for (int i = 0; i < 2000; ++i) tone.push_back(static_cast<int16_t>(i * (digit + 1) * 400 % 20000 - 10000));
        for (const char* name : {"a.wav", "b.wav", "c.wav", "d.wav"}) write_bytes(at / name, wav(tone, 8000));
      }
    }
    ::setenv("HALFWIRE_ASSETS", folder_.path().c_str(), 1);
  }
  ~MadeData() { ::unsetenv("HALFWIRE_ASSETS"); }

 private:
  TempFolder folder_;
};

}  // namespace hw::test
