// Orbit camera. Angles in degrees, lengths in object units, +Y up. No Qt, no Vulkan.
#pragma once

#include <array>
#include <string_view>

#include "engine/core/result.h"

namespace hw::viewport {

using Float3 = std::array<float, 3>;

/// Column-major 4x4 matrix.
using Mat4 = std::array<float, 16>;

/// Looks at `target` from `distance`. Yaw 0, pitch 0 looks along -Z; positive yaw moves the eye towards +X,
/// positive pitch moves it up. `magnification` narrows the frustum, so that a close-up never enters the mesh.
class Camera {
 public:
  Float3 target{0, 0, 0};
  float distance = 3.0f;
  float yaw = 30.0f;
  float pitch = 20.0f;
  float fov = 40.0f;  // vertical, at magnification 1
  float magnification = 1.0f;

  /// Reads "yaw,pitch,distance[,fov]" (degrees; distance as a multiple of the framing distance, 0.02 is a 50x
  /// close-up). The caller places the result on a mesh with `frame(min, max, camera.distance)`. Error HW-V010.
  static Result<Camera> parse(std::string_view text);

  /// Aims at the box and backs off until it fits, keeping the angles; then moves to `multiple` of that distance.
  /// `aspect` is width / height of the picture.
  void frame(const Float3& min, const Float3& max, float multiple = 1.0f, float aspect = 1.0f);
  /// Sets the clip planes for the mesh, without moving the camera.
  void set_scene(const Float3& min, const Float3& max);

  void orbit(float yaw_degrees, float pitch_degrees);
  /// Moves the target parallel to the picture, in fractions of the picture's height (right, up).
  void pan(float right, float up);
  /// Multiplies the distance. May enter the mesh; `zoom` does not.
  void dolly(float factor);
  /// Makes the picture `factor` times larger about the point (x, y), given from the centre in picture heights (y up):
  /// nearer first, then by magnification once the mesh's bounding sphere is close.
  void zoom(float factor, float x = 0.0f, float y = 0.0f);

  Float3 eye() const;
  Mat4 view() const;
  /// Vulkan clip space: y down, z in [0,1] with the near plane at 1 (reversed, for precision close up).
  Mat4 projection(float aspect) const;
  Mat4 clip_from_object(float aspect) const;
  /// Distances of the clip planes that hold the scene from here.
  float near_plane() const;
  float far_plane() const;

  bool operator==(const Camera&) const = default;

 private:
  float nearest_distance() const;

  Float3 scene_center_{0, 0, 0};
  float scene_radius_ = 1.0f;
};

}  // namespace hw::viewport
