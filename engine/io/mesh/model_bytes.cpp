// Layout: magic, then fields in order.
#include "engine/io/mesh/model_bytes.h"

#include <map>

#include "engine/core/codes.h"
#include "engine/io/child/outcome_bytes.h"
#include "engine/io/media/image_bytes.h"

namespace hw {
namespace {

using Writer = ByteWriter;
using Reader = ByteReader;

constexpr uint64_t kMagic = 0x33304c444d5748;  // "HWMDL03"

void write_info(Writer& w, const ModelInfo& info) {
  w.text(info.format);
  for (const uint64_t n : {info.nodes, info.meshes, info.instances, info.transforms, info.degenerate}) w.number(n);
  w.number(info.unit_in_metres);
  w.number<uint64_t>(info.materials.size());
  for (const ModelMaterial& m : info.materials) {
    w.text(m.name);
    w.number(m.texture);
    for (const float c : m.base_color) w.number(c);
  }
  w.number<uint64_t>(info.textures.size());
  for (const ModelTexture& t : info.textures) {
    w.text(t.name);
    w.number(static_cast<uint8_t>(t.state));
    w.number(t.width);
    w.number(t.height);
    w.text(t.detail);
  }
  w.texts(info.refused);
}

bool read_info(Reader& r, ModelInfo& info) {
  r.text(info.format);
  for (uint64_t* n : {&info.nodes, &info.meshes, &info.instances, &info.transforms, &info.degenerate}) r.number(*n);
  r.number(info.unit_in_metres);
  info.materials.resize(r.count(28));
  for (ModelMaterial& m : info.materials) {
    r.text(m.name);
    r.number(m.texture);
    for (float& c : m.base_color) r.number(c);
  }
  info.textures.resize(r.count(25));
  for (ModelTexture& t : info.textures) {
    r.text(t.name);
    const auto state = r.number<uint8_t>();
    if (state > static_cast<uint8_t>(ModelTexture::State::refused)) return false;
    t.state = static_cast<ModelTexture::State>(state);
    r.number(t.width);
    r.number(t.height);
    r.text(t.detail);
  }
  r.texts(info.refused);
  for (const ModelMaterial& m : info.materials) {
    if (m.texture < -1 || m.texture >= static_cast<int64_t>(info.textures.size())) return false;
  }
  return r.good();
}

void write_mesh(Writer& w, const Mesh& mesh) {
  w.text(mesh.name);
  w.array(mesh.positions);
  w.array(mesh.normals);
  w.array(mesh.uvs);
  w.array(mesh.colours);
  w.array(mesh.triangles);
  std::map<const Image*, int32_t> index;
  std::vector<const Image*> images;
  for (const MeshPart& part : mesh.parts) {
    if (part.texture && index.try_emplace(part.texture.get(), static_cast<int32_t>(images.size())).second)
      images.push_back(part.texture.get());
  }
  w.number<uint64_t>(images.size());
  for (const Image* image : images) {
    w.number(image->width);
    w.number(image->height);
    w.array(image->rgba);
  }
  w.number<uint64_t>(mesh.parts.size());
  for (const MeshPart& part : mesh.parts) {
    w.number(part.first_triangle);
    w.number(part.triangle_count);
    w.number(part.texture ? index[part.texture.get()] : int32_t{-1});
    for (const float c : part.base_color) w.number(c);
    for (const Wrap wrap : {part.wrap_u, part.wrap_v}) w.number(static_cast<uint8_t>(wrap));
  }
  for (const double x : mesh.origin) w.number(x);
  for (const auto& bound : {mesh.bounds_min, mesh.bounds_max}) {
    for (const float x : bound) w.number(x);
  }
  w.texts(mesh.warnings);
  w.texts(mesh.notes);
}

bool read_images(Reader& r, std::vector<std::shared_ptr<const Image>>& images) {
  images.resize(r.count(16));
  for (auto& slot : images) {
    auto image = std::make_shared<Image>();
    r.number(image->width);
    r.number(image->height);
    if (image->width < 1 || image->height < 1 || image->width > kMaxPictureSide || image->height > kMaxPictureSide)
      return false;
    r.array(image->rgba);
    if (image->rgba.size() != static_cast<size_t>(image->width) * static_cast<size_t>(image->height) * 4) return false;
    slot = std::move(image);
  }
  return r.good();
}

/// Parts cover all triangles, in order.
bool read_parts(Reader& r, const std::vector<std::shared_ptr<const Image>>& images, Mesh& mesh) {
  mesh.parts.resize(r.count(30));
  uint64_t next = 0;
  for (MeshPart& part : mesh.parts) {
    r.number(part.first_triangle);
    r.number(part.triangle_count);
    const auto image = r.number<int32_t>();
    if (image < -1 || image >= static_cast<int64_t>(images.size())) return false;
    if (image >= 0) part.texture = images[static_cast<size_t>(image)];
    for (float& c : part.base_color) r.number(c);
    for (Wrap* wrap : {&part.wrap_u, &part.wrap_v}) {
      const auto which = r.number<uint8_t>();
      if (which > static_cast<uint8_t>(Wrap::clamp)) return false;
      *wrap = static_cast<Wrap>(which);
    }
    if (part.first_triangle != next) return false;
    next += part.triangle_count;
  }
  return r.good() && next == mesh.triangles.size();
}

bool read_mesh(Reader& r, Mesh& mesh) {
  r.text(mesh.name);
  r.array(mesh.positions);
  r.array(mesh.normals);
  r.array(mesh.uvs);
  r.array(mesh.colours);
  r.array(mesh.triangles);
  const size_t n = mesh.positions.size();
  if (!r.good() || mesh.normals.size() != n || (!mesh.uvs.empty() && mesh.uvs.size() != n) ||
      (!mesh.colours.empty() && mesh.colours.size() != n))
    return false;
  for (const auto& triangle : mesh.triangles) {
    for (const uint32_t index : triangle) {
      if (index >= n) return false;
    }
  }
  std::vector<std::shared_ptr<const Image>> images;
  if (!read_images(r, images) || !read_parts(r, images, mesh)) return false;
  for (double& x : mesh.origin) r.number(x);
  for (auto* bound : {&mesh.bounds_min, &mesh.bounds_max}) {
    for (float& x : *bound) r.number(x);
  }
  r.texts(mesh.warnings);
  r.texts(mesh.notes);
  return r.good();
}

}  // namespace

std::string_view name(ModelTexture::State state) {
  constexpr std::string_view names[] = {"file", "embedded", "missing", "unreadable", "refused"};
  return names[static_cast<size_t>(state)];
}

bool write_model(int fd, const Result<Model>& outcome) {
  return write_envelope(fd, kMagic, outcome, [](Writer& w, const Model& model) {
    write_info(w, model.info);
    write_mesh(w, *model.mesh);
  });
}

Result<Model> read_model(std::string_view bytes, const std::string& file) {
  const Error broken{codes::asset_costly, file, "the program that read the model handed over something else.",
                     "Export the model again, as glTF or OBJ say."};
  return read_envelope<Model>(bytes, kMagic, broken, [](Reader& r, Model& model) {
    auto mesh = std::make_shared<Mesh>();
    if (!read_info(r, model.info) || !read_mesh(r, *mesh)) return false;
    model.mesh = std::move(mesh);
    return true;
  });
}

}  // namespace hw
