// Assets for tests: one textured quad, whatever the path; "missing" is an error.
#pragma once

#include "engine/node/node_type.h"

namespace hw::test {

/// Two triangles in z = 0 over [0, 1]², uv = xy, an 8×8 picture of smooth colour.
inline std::shared_ptr<const Mesh> textured_quad() {
  auto image = std::make_shared<Image>();
  image->width = image->height = 8;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      image->rgba.insert(image->rgba.end(), {static_cast<uint8_t>(30 * x), static_cast<uint8_t>(30 * y), 128, 255});
    }
  }
  auto mesh = std::make_shared<Mesh>();
  mesh->name = "quad";
  mesh->positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh->normals.assign(4, {0, 0, 1});
  mesh->uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  mesh->triangles = {{0, 1, 2}, {0, 2, 3}};
  mesh->parts.push_back({0, 2, image, {1, 1, 1, 1}});
  mesh->bounds_max = {1, 1, 0};
  return mesh;
}

class QuadAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string& path) override {
    if (path == "missing")
      return Error{codes::asset_missing, "", "\"missing\" was not found.", "Choose a file that exists."};
    return textured_quad();
  }
};

}  // namespace hw::test
