// Textures of a model: embedded in it or files beside it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "engine/core/mesh.h"
#include "engine/core/result.h"

struct aiScene;
struct aiMaterial;

namespace hw {

/// Loads each texture of one scene once. Errors HW-A003 (not found: named, with the places searched), HW-A002.
class TextureLoader {
 public:
  TextureLoader(const aiScene& scene, std::filesystem::path model) : scene_(scene), model_(std::move(model)) {}
  /// The material's base colour texture; null when it names none.
  Result<std::shared_ptr<const Image>> base_colour(const aiMaterial& material);

 private:
  Result<std::shared_ptr<const Image>> load(const std::string& name);
  const aiScene& scene_;
  std::filesystem::path model_;
  std::map<std::string, std::shared_ptr<const Image>> loaded_;
};

}  // namespace hw
