// What a picture shows on the surface. No Qt, no Vulkan.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "app/viewport/camera.h"

namespace hw::viewport {

/// The numbers are the shaders' own and the order of the keys 1 to 6.
enum class View : uint32_t {
  field,      // the field's colours; the mesh's own texture left of the split, or where there is no field
  wireframe,  // edges of triangles on a plain surface that hides what lies behind
  normals,    // ½ + ½ n in object space: +x red, +y green, +z blue
  uv,         // u red, v green, each repeating from 1 on
  checker,    // 16 × 16 squares over the uv square
  texture,    // the mesh's own texture and base colours
};
inline constexpr std::array<std::string_view, 6> kViewNames{"field", "wireframe", "normals",
                                                            "uv",    "checker",   "texture"};

/// Views that say nothing about a mesh without texture coordinates: its base colours are drawn instead.
constexpr bool needs_uvs(View view) {
  return view == View::uv || view == View::checker;
}

/// Behind the mesh, sRGB-encoded. Different colours make a gradient with a vignette; equal ones are drawn exactly.
struct Background {
  Float3 top{0.172f, 0.182f, 0.204f}, bottom{0.086f, 0.090f, 0.102f};
  static Background plain(const Float3& color) { return {color, color}; }
  bool operator==(const Background&) const = default;
};

}  // namespace hw::viewport
