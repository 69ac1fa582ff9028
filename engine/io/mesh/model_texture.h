// Textures of a model: embedded in it or files beside it.
#pragma once

#include <assimp/material.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/io/mesh/model.h"

struct aiScene;

namespace hw {

/// Whether a material is of glTF's extension KHR_materials_pbrSpecularGlossiness: its diffuse colour is the base
/// colour.
bool has_glossiness(const aiMaterial& material);
/// Where a material names its base colour texture; none when it names none.
std::optional<aiTextureType> base_colour_type(const aiMaterial& material);

/// Loads each texture of one scene once. A texture that is missing or cannot be read gives a message, no error.
class TextureLoader {
 public:
  /// Files within `reach` alone are read. `will_read` gets the bytes of each before.
  TextureLoader(const aiScene& scene, std::filesystem::path model, Reach reach, std::function<void(uint64_t)> will_read)
      : scene_(scene), model_(std::move(model)), reach_(std::move(reach)), will_read_(std::move(will_read)) {}
  /// The material's base colour texture, null when it names none or there is none; `index`: its place in take().
  std::shared_ptr<const Image> base_colour(const aiMaterial& material, int32_t& index);
  /// A texture times a factor, as tinted() says. Null: there are too many of them, by their bytes.
  std::shared_ptr<const Image> tinted_by(const std::array<float, 3>& factor, std::shared_ptr<const Image> texture);
  /// What was asked for, in that order.
  std::vector<ModelTexture> take() { return std::move(textures_); }

 private:
  int32_t load(const std::string& name);
  Result<Image> read(const std::string& name, ModelTexture& info);
  const aiScene& scene_;
  std::filesystem::path model_;
  Reach reach_;
  std::function<void(uint64_t)> will_read_;
  std::map<std::string, int32_t> index_;
  std::vector<ModelTexture> textures_;
  std::vector<std::shared_ptr<const Image>> images_;
  std::map<std::pair<const Image*, std::array<float, 3>>, std::shared_ptr<const Image>> tinted_;
  size_t tinted_bytes_ = 0;
};

}  // namespace hw
