#include "engine/io/mesh/model_texture.h"

#include <assimp/scene.h>

#include <algorithm>
#include <cctype>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/folder_entries.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/mesh/model_colour.h"

namespace hw {
namespace {

constexpr size_t kMostTinted = size_t{512} << 20;  // bytes of all textures that are multiplied

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "%20" → " ", "\" → "/", "file://" dropped: what exporters write for paths.
std::string plain_path(const std::string& text) {
  std::string out;
  for (size_t i = text.starts_with("file://") ? 7 : 0; i < text.size(); ++i) {
    const auto hex = [&](size_t k) { return k < text.size() && std::isxdigit(static_cast<unsigned char>(text[k])); };
    if (text[i] == '%' && hex(i + 1) && hex(i + 2)) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '\\' ? '/' : text[i];
    }
  }
  return out;
}

/// The file a model means: the path as written, else its file name beside the model, in any case. Error HW-A006 when
/// all there is lies outside `reach`; none: nothing is there.
Result<std::optional<fs::path>> find_file(const fs::path& folder, const std::string& name, const Reach& reach) {
  std::error_code ec;
  Status refused = ok();
  const auto may_read = [&](const fs::path& file) {
    const Status allowed = reach.check(file, name);
    if (refused && !allowed) refused = allowed;
    return static_cast<bool>(allowed);
  };
  for (const std::string& text : {name, plain_path(name)}) {
    if (text.empty() || text.find('\0') != std::string::npos) continue;
    const fs::path file = folder / text;  // an absolute path stays itself
    if (fs::is_regular_file(file, ec) && may_read(file)) return std::optional(file);
  }
  const std::string wanted = lower(fs::path(plain_path(name)).filename().string());
  std::optional<fs::path> found;
  for (const fs::path& file : entries_of(folder, ec)) {
    std::error_code ignored;
    if (lower(file.filename().string()) != wanted || !fs::is_regular_file(file, ignored)) continue;
    // Stable when two differ in case alone.
    if ((!found || file < *found) && may_read(file)) found = file;
  }
  if (!found && !refused) return refused.error();
  return found;
}

/// This process is the child already.
Result<Image> decode_texture(std::string_view bytes, const std::string& name) {
  HW_TRY(Image image, decode_image(bytes, name, Turned::as_stored, available_memory()));
  for (std::string& warning : image.warnings) warning = "The texture \"" + name + "\": " + warning;
  return image;
}

/// Height 0: a compressed file of mWidth bytes; else raw texels.
Result<Image> embedded_image(const aiTexture& texture, const std::string& name) {
  if (texture.mHeight == 0)
    return decode_texture({reinterpret_cast<const char*>(texture.pcData), texture.mWidth}, name);
  if (texture.mWidth == 0 || texture.mWidth > 16384 || texture.mHeight > 16384)
    return Error{codes::asset_unreadable, name, "the embedded texture has no sensible size.", "Export it again."};
  Image image;
  image.width = static_cast<int>(texture.mWidth);
  image.height = static_cast<int>(texture.mHeight);
  const size_t count = size_t{texture.mWidth} * texture.mHeight;
  image.rgba.reserve(count * 4);
  for (size_t i = 0; i < count; ++i) {
    const aiTexel& t = texture.pcData[i];
    image.rgba.insert(image.rgba.end(), {t.r, t.g, t.b, t.a});
  }
  return image;
}

}  // namespace

bool has_glossiness(const aiMaterial& material) {
  float glossiness = 0;
  return material.Get(AI_MATKEY_GLOSSINESS_FACTOR, glossiness) == AI_SUCCESS;
}

std::optional<aiTextureType> base_colour_type(const aiMaterial& material) {
  const auto names_one = [&](aiTextureType type) {
    aiString path;
    return material.GetTexture(type, 0, &path) == AI_SUCCESS && path.length > 0;
  };
  if (!has_glossiness(material) && names_one(aiTextureType_BASE_COLOR)) return aiTextureType_BASE_COLOR;
  return names_one(aiTextureType_DIFFUSE) ? std::optional(aiTextureType_DIFFUSE) : std::nullopt;
}

std::shared_ptr<const Image> TextureLoader::base_colour(const aiMaterial& material, int32_t& index) {
  const auto type = base_colour_type(material);
  if (!type) return nullptr;
  aiString path;
  material.GetTexture(*type, 0, &path);
  index = load(path.C_Str());
  return images_[static_cast<size_t>(index)];
}

std::shared_ptr<const Image> TextureLoader::tinted_by(const std::array<float, 3>& factor,
                                                      std::shared_ptr<const Image> texture) {
  if (factor == std::array<float, 3>{1, 1, 1}) return texture;
  auto& made = tinted_[{texture.get(), factor}];
  if (!made && tinted_bytes_ + texture->rgba.size() <= kMostTinted) {
    tinted_bytes_ += texture->rgba.size();
    made = std::make_shared<const Image>(tinted(*texture, factor));
  }
  return made;
}

Result<Image> TextureLoader::read(const std::string& name, ModelTexture& info) {
  if (const aiTexture* texture = scene_.GetEmbeddedTexture(name.c_str())) {
    info.state = ModelTexture::State::embedded;
    return embedded_image(*texture, name);
  }
  const fs::path folder = model_.parent_path().empty() ? fs::path(".") : model_.parent_path();
  const auto meant = find_file(folder, name, reach_);
  if (!meant) {
    info.state = ModelTexture::State::refused;
    info.detail = meant.error().where;
    return meant.error();
  }
  const std::optional<fs::path>& file = *meant;
  if (!file) {
    info.state = ModelTexture::State::missing;
    return Error{codes::asset_lacks, name,
                 "it was found neither at that path nor beside the model in " + folder.string() + ".",
                 "Put the texture beside the model."};
  }
  info.state = ModelTexture::State::file;
  info.detail = file->string();
  std::error_code ec;
  const uintmax_t size = fs::file_size(*file, ec);
  if (!ec) will_read_(size);
  HW_TRY(const std::string bytes, read_file_bytes(*file, kMaxPictureBytes, codes::asset_unreadable));
  return decode_texture(bytes, file->filename().string());
}

int32_t TextureLoader::load(const std::string& name) {
  const auto [known, added] = index_.try_emplace(name, static_cast<int32_t>(textures_.size()));
  if (!added) return known->second;
  ModelTexture info{.name = name};
  std::shared_ptr<const Image> image;
  if (auto pixels = read(name, info)) {
    info.width = pixels->width;
    info.height = pixels->height;
    image = std::make_shared<const Image>(std::move(*pixels));
  } else {
    const Error& e = pixels.error();
    const bool is_found = info.state == ModelTexture::State::file || info.state == ModelTexture::State::embedded;
    if (is_found) info.state = ModelTexture::State::unreadable;
    if (info.state != ModelTexture::State::refused) info.detail = e.reason + " " + e.remedy;
  }
  textures_.push_back(std::move(info));
  images_.push_back(std::move(image));
  return known->second;
}

}  // namespace hw
