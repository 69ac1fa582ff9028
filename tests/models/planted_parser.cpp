// halfwire-cli as a child, with parsers that have been taken over: a file's name says what its parser does.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "app/interop/onnx/parse_onnx.h"
#include "engine/core/codes.h"
#include "engine/io/child/child_process.h"
#include "engine/io/media/parser_child.h"
#include "engine/io/mesh/model_import.h"
#include "tests/models/planted_actions.h"

namespace {

using namespace hw;

bool g_poisoned = false;

std::vector<std::string> tried() {
  const char *file = std::getenv("PLANTED_FILE"), *folder = std::getenv("PLANTED_FOLDER");
  return test::succeeded_actions(file ? file : "", folder ? folder : "");
}

/// A picture whose warnings are what it did, and the process that it did it in.
Result<Image> picture(int, const std::string& path, uint64_t) {
  const std::string name = std::filesystem::path(path).filename();
  const auto has = [&](const char* word) { return name.find(word) != name.npos; };
  if (g_poisoned || has("crash")) std::abort();
  if (has("memory")) throw std::bad_alloc();
  if (has("leave")) ::_exit(0);
  if (has("poison")) g_poisoned = true;
  if (has("spin")) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    child::limit(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec) + 1, RLIM_INFINITY);
    for (volatile bool on = true; on;) {
    }
  }
  Image image{1, 1, {0, 0, 0, 255}};
  if (has("huge")) image.width = 1 << 20;
  image.warnings = has("act") ? tried() : std::vector{std::to_string(::getpid())};
  return image;
}

Result<Sound> sound(int, const std::string& path, const SoundFormat& format) {
  const std::string name = std::filesystem::path(path).filename();
  Sound made{8000, format.frames, std::vector<float>(static_cast<size_t>(format.channels * format.frames))};
  if (name.find("short") != name.npos) made.samples.pop_back();
  return made;
}

/// What it did with more than it was given, and whether the model could be read.
std::string tried_beside(const std::filesystem::path& file) {
  std::string all;
  for (const std::string& action : tried()) all += action + "; ";
  const int own = ::open(file.c_str(), O_RDONLY);
  return all + (own < 0 ? "" : "read the model");
}

Result<Model> model(const std::filesystem::path& file, Reach, const std::function<void(uint64_t)>&) {
  return Error{codes::asset_lacks, file.string(), tried_beside(file), "."};
}

Result<interop::OnnxModel> onnx(const std::filesystem::path& file) {
  if (file.filename() == "memory.onnx") throw std::bad_alloc();
  interop::OnnxModel made;
  made.producer = tried_beside(file);
  return made;
}

}  // namespace

int main(int count, char** words) {
  const std::string command = count > 1 ? words[1] : "";
  if (command == "parse-files") ::_exit(serve_parsers(child::kFd, {picture, sound}));
  if (command == "parse-onnx" && count > 3) ::_exit(interop::parse_onnx_as_child(words[3], onnx));
  if (command == "import-mesh" && count > 3) ::_exit(import_model_as_child(words[3], Reach(), model));
  return 2;
}
