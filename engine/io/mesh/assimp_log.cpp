#include "engine/io/mesh/assimp_log.h"

#include <assimp/scene.h>

#include <algorithm>
#include <assimp/DefaultLogger.hpp>
#include <assimp/LogStream.hpp>
#include <iterator>
#include <string_view>

namespace hw {

struct AssimpLog::Messages {
  std::vector<std::string> errors, warnings;
};

namespace {

constexpr size_t kMost = 5;  // of each kind; one more is kept, as one may be left out
/// What Assimp calls an error and loses nothing that is shown.
constexpr std::string_view kHarmless[] = {"OBJ: No object detected to attach a new mesh instance",
                                          "FBX: no material assigned to mesh, setting default material",
                                          "FBX: ignoring additional tangent layer",
                                          "FBX: ignoring additional binormal layer"};

/// A texture may take another of several sets of uvs. Assimp 5.4 says it of any Collada material that names a set.
constexpr std::string_view kOfUvSets = "Collada: Unexpected effect input mapping";

std::string sentence_of(std::string_view message) {
  return "The model's reader says: " + std::string(message) + ".";
}

/// "Error, T0: OFF: …\n" without what is before the message.
class Listener : public Assimp::LogStream {
 public:
  explicit Listener(std::vector<std::string>& to) : to_(to) {}
  void write(const char* line) override {
    std::string_view text(line);
    if (const size_t colon = text.find(": "); colon != text.npos) text.remove_prefix(colon + 2);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '.')) text.remove_suffix(1);
    if (std::find(std::begin(kHarmless), std::end(kHarmless), text) != std::end(kHarmless)) return;
    const std::string said = sentence_of(text);
    if (to_.size() <= kMost && std::find(to_.begin(), to_.end(), said) == to_.end()) to_.push_back(said);
  }

 private:
  std::vector<std::string>& to_;
};

}  // namespace

AssimpLog::AssimpLog() : messages_(std::make_unique<Messages>()) {
  using Assimp::Logger;
  Assimp::DefaultLogger::create("", Logger::NORMAL, 0);
  // The logger owns its streams.
  Assimp::DefaultLogger::get()->attachStream(new Listener(messages_->errors), Logger::Err);
  Assimp::DefaultLogger::get()->attachStream(new Listener(messages_->warnings), Logger::Warn);
}

AssimpLog::~AssimpLog() {
  Assimp::DefaultLogger::kill();
}

std::vector<std::string> AssimpLog::errors(const aiScene& scene) const {
  const auto has_uv_sets = [](const aiMesh* mesh) { return mesh->HasTextureCoords(1); };
  std::vector<std::string> all = messages_->errors;
  if (std::none_of(scene.mMeshes, scene.mMeshes + scene.mNumMeshes, has_uv_sets))
    std::erase(all, sentence_of(kOfUvSets));
  all.resize(std::min(all.size(), kMost));
  return all;
}

std::vector<std::string> AssimpLog::warnings() const {
  std::vector<std::string> all = messages_->warnings;
  all.resize(std::min(all.size(), kMost));
  return all;
}

}  // namespace hw
