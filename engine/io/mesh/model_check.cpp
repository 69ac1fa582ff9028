#include "engine/io/mesh/model_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace hw {
namespace {

constexpr double kFarthest = 1e9;  // a million kilometres in metres; nothing is modelled so large

bool has_area(const Mesh& mesh, const std::array<uint32_t, 3>& t) {
  const auto &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
  const double u[3] = {double{b[0]} - a[0], double{b[1]} - a[1], double{b[2]} - a[2]};
  const double v[3] = {double{c[0]} - a[0], double{c[1]} - a[1], double{c[2]} - a[2]};
  return u[1] * v[2] != u[2] * v[1] || u[2] * v[0] != u[0] * v[2] || u[0] * v[1] != u[1] * v[0];
}

/// A sentence where the bounds are those of a damaged file rather than of a thing; else empty. Squares of what is
/// farther than 1e18 are Inf in f32.
std::string too_far(const Mesh& mesh) {
  double far = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double low = mesh.bounds_min[axis] + mesh.origin[axis], high = mesh.bounds_max[axis] + mesh.origin[axis];
    far = std::max({far, std::abs(low), std::abs(high)});
  }
  if (far <= kFarthest) return "";
  char text[120];
  std::snprintf(text, sizeof text, "The model reaches to %.3g: the file may be damaged, or its unit wrong.", far);
  return text;
}

std::string origin_note(const Mesh& mesh) {
  const auto& o = mesh.origin;
  char text[240];
  std::snprintf(text, sizeof text,
                "The model lies far from the origin: (%.9g, %.9g, %.9g) is taken off its positions, so that f32 holds "
                "them. What is exported from it has it back.",
                o[0], o[1], o[2]);
  return text;
}

std::string read_warning(double step) {
  char text[240];
  std::snprintf(text, sizeof text,
                "The model lies so far from the origin that its positions were read in steps of %.3g (f32): what is "
                "finer is lost. Export it as .obj or as .ply with doubles, or move it to the origin before.",
                step);
  return text;
}

std::string kept_warning(double step) {
  char text[240];
  std::snprintf(text, sizeof text,
                "Parts of the model lie so far apart that its positions are kept in steps of %.3g (f32): what is finer "
                "is lost. Export the parts as models of their own.",
                step);
  return text;
}

}  // namespace

void measure(Mesh& mesh, ModelInfo& info) {
  mesh.bounds_min = mesh.bounds_max = mesh.positions[mesh.triangles[0][0]];
  for (const auto& triangle : mesh.triangles) {
    info.degenerate += !has_area(mesh, triangle);
    for (const uint32_t vertex : triangle) {
      for (size_t axis = 0; axis < 3; ++axis) {
        mesh.bounds_min[axis] = std::min(mesh.bounds_min[axis], mesh.positions[vertex][axis]);
        mesh.bounds_max[axis] = std::max(mesh.bounds_max[axis], mesh.positions[vertex][axis]);
      }
    }
  }
}

void say_what_is_odd(Mesh& mesh, const ModelInfo& info, const Steps& steps) {
  const auto say = [&](std::string text) { mesh.warnings.push_back(std::move(text)); };
  for (const ModelTexture& t : info.textures) {
    if (t.state == ModelTexture::State::missing || t.state == ModelTexture::State::unreadable)
      say("The texture \"" + t.name + "\" is " + std::string(name(t.state)) + ": " + t.detail);
  }
  const bool textured = std::any_of(mesh.parts.begin(), mesh.parts.end(), [](const MeshPart& p) { return p.texture; });
  if (info.textures.empty() && mesh.colours.empty())
    say("The model names no texture: its surface has only the colours of its materials.");
  std::set<std::string> said;  // of a texture in several colours the same
  for (const MeshPart& part : mesh.parts) {
    if (!part.texture) continue;
    for (const std::string& warning : part.texture->warnings)
      if (said.insert(warning).second) say(warning);
  }
  if (mesh.uvs.empty())
    say(textured ? "The model has a texture but no UVs: the texture is not shown." : "The model has no UVs.");
  if (const std::string far = too_far(mesh); !far.empty()) say(far);
  if (steps.read > 0) say(read_warning(steps.read));
  if (steps.kept > 0) say(kept_warning(steps.kept));
  if (mesh.origin != std::array<double, 3>{}) mesh.notes.push_back(origin_note(mesh));
  if (info.degenerate > 0) {
    say(std::to_string(info.degenerate) + (info.degenerate == 1 ? " triangle has" : " triangles have") +
        " no area and can neither be seen nor sampled.");
  }
}

}  // namespace hw
