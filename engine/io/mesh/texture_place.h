// How a material's texture lies on a mesh: by which texture coordinates, moved how, and what is outside its square.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/core/mesh.h"

namespace hw {

/// Texture coordinates (u, v), v up, as the texture is looked up with them: map · (u, v, 1).
struct UvMap {
  unsigned set = 0;                             // which of the mesh's sets
  std::array<double, 6> map{1, 0, 0, 0, 1, 0};  // two rows
  std::array<double, 2> operator()(double u, double v) const {
    return {map[0] * u + map[1] * v + map[2], map[3] * u + map[4] * v + map[5]};
  }
};

/// A texture's place, and settings of the material that are not applied.
struct TexturePlace {
  UvMap uv;
  Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
  std::vector<std::string> unread;  // what is passed over, such as "has a rotation, which is not read"
};

}  // namespace hw
