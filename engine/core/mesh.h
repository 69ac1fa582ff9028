// Mesh: immutable geometry that flows along mesh wires. Plain data, no file formats.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/image.h"

namespace hw {

/// What a texture shows outside the uv square: itself again, itself mirrored at each border, or its border.
enum class Wrap : uint8_t { repeat, mirror, clamp };

/// A run of consecutive triangles that share one material.
struct MeshPart {
  uint32_t first_triangle = 0;
  uint32_t triangle_count = 0;
  std::shared_ptr<const Image> texture;                     // null: base_color alone
  std::array<float, 4> base_color{0.8f, 0.8f, 0.8f, 1.0f};  // sRGB-encoded, multiplies the texture
  Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;        // of the texture
};

/// Triangle mesh in one space (scene transforms applied). All per-vertex arrays have the same vertex count; uvs and
/// colours may be empty. uv origin is bottom left (v up). The colour of a point is the product of its part's texture,
/// base_color and the interpolated vertex colour. uvs are those that the part's texture is looked up with: what a
/// material says of moving, scaling or turning its texture is in them. Shared between threads, never changed after
/// loading.
struct Mesh {
  std::string name;
  std::vector<std::array<float, 3>> positions;
  std::vector<std::array<float, 3>> normals;  // unit length
  std::vector<std::array<float, 2>> uvs;      // empty: the mesh has no texture coordinates
  std::vector<std::array<float, 3>> colours;  // sRGB-encoded, in [0, 1]; empty: white
  std::vector<std::array<uint32_t, 3>> triangles;
  std::vector<MeshPart> parts;  // cover all triangles, in order
  std::array<float, 3> bounds_min{};
  std::array<float, 3> bounds_max{};
  std::array<double, 3> origin{};     // taken off all positions: where the file has a point is its position + origin
  std::vector<std::string> warnings;  // what the file lacks (a texture, uvs …), one sentence each
  std::vector<std::string> notes;     // what was done with it that is no fault, one sentence each
};

}  // namespace hw
