// ref: dropout, random tensors and surface sampling, from Philox alone.
#include <cmath>
#include <numbers>

#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

using Vec3 = std::array<double, 3>;

// Which of n texels is shown at a whole coordinate; 0 for a coordinate that is not finite.
size_t shown_texel(double at, int n, Wrap wrap) {
  if (!std::isfinite(at)) return 0;
  const double size = n, round = at - size * std::floor(at / size);
  const bool odd = std::fmod(std::floor(at / size), 2.0) != 0;
  double texel = round;
  if (wrap == Wrap::clamp) texel = std::min(std::max(at, 0.0), size - 1);
  if (wrap == Wrap::mirror && odd) texel = size - 1 - round;
  return texel >= 0 && texel < size ? static_cast<size_t>(texel) : 0;
}

// Bilinear; u to the right, v up; texel centres at + 0.5.
Vec3 texture_at(const MeshPart& part, double u, double v) {
  const Image& image = *part.texture;
  const double x = u * image.width - 0.5, y = (1 - v) * image.height - 0.5;
  const auto texel = [&](double column, double row, size_t channel) {
    const size_t index = shown_texel(row, image.height, part.wrap_v) * static_cast<size_t>(image.width) +
                         shown_texel(column, image.width, part.wrap_u);
    return static_cast<double>(image.rgba[index * 4 + channel]);
  };
  Vec3 colour{};
  for (size_t c = 0; c < 3; ++c)
    for (int dy = 0; dy < 2; ++dy)
      for (int dx = 0; dx < 2; ++dx) {
        const double wx = 1 - std::abs(x - (std::floor(x) + dx)), wy = 1 - std::abs(y - (std::floor(y) + dy));
        colour[c] += wx * wy * texel(std::floor(x) + dx, std::floor(y) + dy, c) / 255;
      }
  return colour;
}

}  // namespace

void dropout(Call& c) {
  const DropoutAttr& a = c.attr<DropoutAttr>();
  const Draw d = c.draw(a.random, c.out[0].size());
  for (size_t e = 0; e < c.out[0].size(); ++e) {
    const uint32_t bits = philox_block(d.seed, d.stream, d.step, (d.first + e) / 4)[(d.first + e) % 4];
    const bool keep = static_cast<double>(bits >> 8) * 0x1p-24 < 1 - a.p;
    c.out[0][e] = keep ? c.in[0][e] / (1 - a.p) : 0.0;
  }
}

void random(Call& c) {
  const RandomAttr& a = c.attr<RandomAttr>();
  const Draw d = c.draw(a.random, c.out[0].size());
  const auto u = [&](size_t e) {
    return static_cast<double>(philox_block(d.seed, d.stream, d.step, e / 4)[e % 4] >> 8) * 0x1p-24;
  };
  for (size_t i = 0; i < c.out[0].size(); ++i) {
    const size_t e = d.first + i;
    if (a.distribution == RandomAttr::Distribution::uniform) {
      c.out[0][i] = a.a + (a.b - a.a) * u(e);
      continue;
    }
    const double radius = std::sqrt(-2 * std::log(u(e - e % 2) + 0x1p-24));
    const double angle = 2 * std::numbers::pi * u(e - e % 2 + 1);
    c.out[0][i] = a.a + a.b * radius * (e % 2 ? std::sin(angle) : std::cos(angle));
  }
}

void sample_surface(Call& c) {
  const SampleSurfaceAttr& a = c.attr<SampleSurfaceAttr>();
  const Mesh& mesh = *a.mesh;
  const Draw draw = c.draw(a.random, static_cast<size_t>(a.points));
  for (size_t i = 0; i < static_cast<size_t>(a.points); ++i) {
    const Philox4 r = philox_block(draw.seed, draw.stream, draw.step, draw.first + i);
    const uint32_t triangle = kernels::pick_triangle(*c.surface, r[0], r[1]);
    const double s = std::sqrt(static_cast<double>(r[2] >> 8) * 0x1p-24), t = static_cast<double>(r[3] >> 8) * 0x1p-24;
    const double weights[3] = {1 - s, s * (1 - t), s * t};
    double normal[3] = {}, uv[2] = {};
    Vec3 tint = mesh.colours.empty() ? Vec3{1, 1, 1} : Vec3{};
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t vertex = mesh.triangles[triangle][k];
      for (size_t d = 0; d < 3; ++d) {
        c.out[0][i * 3 + d] += weights[k] * double{mesh.positions[vertex][d]};
        normal[d] += weights[k] * double{mesh.normals[vertex][d]};
      }
      for (size_t d = 0; d < 3 && !mesh.colours.empty(); ++d) tint[d] += weights[k] * double{mesh.colours[vertex][d]};
      for (size_t d = 0; d < 2 && !mesh.uvs.empty(); ++d) uv[d] += weights[k] * double{mesh.uvs[vertex][d]};
    }
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    for (size_t d = 0; d < 3; ++d) c.out[1][i * 3 + d] = length > 0 ? normal[d] / length : d == 2 ? 1.0 : 0.0;
    for (size_t d = 0; d < 2; ++d) c.out[2][i * 2 + d] = uv[d];
    const uint32_t index = c.surface->part[triangle];
    const MeshPart part = index == kernels::SurfaceTable::kNoPart ? MeshPart{} : mesh.parts[index];
    Vec3 colour{1, 1, 1};
    if (part.texture && part.texture->width > 0 && !mesh.uvs.empty()) colour = texture_at(part, uv[0], uv[1]);
    for (size_t d = 0; d < 3; ++d) c.out[3][i * 3 + d] = colour[d] * double{part.base_color[d]} * tint[d];
  }
}

}  // namespace hw::ref
