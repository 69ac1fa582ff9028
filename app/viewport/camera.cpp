#include "app/viewport/camera.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "engine/core/codes.h"

namespace hw::viewport {
namespace {

constexpr float kPitchLimit = 89.5f;  // straight up and down have no yaw
constexpr float kFrameMargin = 1.03f;
constexpr float kMaxMagnification = 4000.0f;

float radians(float degrees) {
  return degrees * std::numbers::pi_v<float> / 180.0f;
}
Float3 add(const Float3& a, const Float3& b, float scale) {
  return {a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale};
}
float dot(const Float3& a, const Float3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct Axes {
  Float3 right, up, back;
};
Axes axes(float yaw, float pitch) {
  const float sy = std::sin(radians(yaw)), cy = std::cos(radians(yaw));
  const float sp = std::sin(radians(pitch)), cp = std::cos(radians(pitch));
  return {{cy, 0, -sy}, {-sy * sp, cp, -cy * sp}, {sy * cp, sp, cy * cp}};
}

Mat4 multiply(const Mat4& a, const Mat4& b) {
  Mat4 m{};
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row)
      for (int k = 0; k < 4; ++k) m[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
  return m;
}

Error bad_camera(std::string_view text, std::string reason) {
  return {codes::bad_camera, "\"" + std::string(text) + "\"", std::move(reason),
          "Write yaw,pitch,distance[,fov], such as 30,20,1 or 30,20,0.02,40."};
}

}  // namespace

Result<Camera> Camera::parse(std::string_view text) {
  std::vector<float> numbers;
  for (size_t from = 0; from <= text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    std::string_view word = text.substr(from, comma - from);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    float value = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || code != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      return bad_camera(text, "'" + std::string(word) + "' is not a number.");
    numbers.push_back(value);
    from = comma + 1;
  }
  if (numbers.size() != 3 && numbers.size() != 4)
    return bad_camera(text, "A camera has 3 or 4 numbers, not " + std::to_string(numbers.size()) + ".");
  Camera camera;
  camera.yaw = numbers[0];
  camera.pitch = numbers[1];
  camera.distance = numbers[2];
  if (numbers.size() == 4) camera.fov = numbers[3];
  if (std::abs(camera.pitch) > 90) return bad_camera(text, "The pitch must lie in [-90, 90] degrees.");
  if (camera.distance < 1e-3f || camera.distance > 1e3f)
    return bad_camera(text, "The distance must lie in [0.001, 1000].");
  if (camera.fov < 1 || camera.fov > 150) return bad_camera(text, "The field of view must lie in [1, 150] degrees.");
  camera.pitch = std::clamp(camera.pitch, -kPitchLimit, kPitchLimit);
  return camera;
}

void Camera::set_scene(const Float3& min, const Float3& max) {
  Float3 half{};
  for (int i = 0; i < 3; ++i) {
    scene_center_[i] = 0.5f * (min[i] + max[i]);
    half[i] = 0.5f * (max[i] - min[i]);
  }
  scene_radius_ = std::sqrt(dot(half, half));
  if (!(scene_radius_ > 0)) scene_radius_ = 1;  // a single point, or bounds that are not numbers
}

void Camera::frame(const Float3& min, const Float3& max, float multiple, float aspect) {
  set_scene(min, max);
  target = scene_center_;
  magnification = 1;
  const float tangent_y = std::tan(radians(fov) * 0.5f);
  const float tangent_x = tangent_y * aspect;
  const Axes a = axes(yaw, pitch);
  float nearest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Float3 offset{};
    for (int i = 0; i < 3; ++i) offset[i] = (corner >> i & 1 ? max[i] : min[i]) - scene_center_[i];
    const float reach = std::max(std::abs(dot(offset, a.right)) / tangent_x, std::abs(dot(offset, a.up)) / tangent_y);
    nearest = std::max(nearest, dot(offset, a.back) + reach);
  }
  distance = nearest > 0 ? nearest * kFrameMargin : scene_radius_ * 2;
  zoom(1.0f / multiple);
}

void Camera::orbit(float yaw_degrees, float pitch_degrees) {
  yaw = std::remainder(yaw + yaw_degrees, 360.0f);
  pitch = std::clamp(pitch + pitch_degrees, -kPitchLimit, kPitchLimit);
}

void Camera::pan(float right, float up) {
  const float height = 2 * std::tan(radians(fov) * 0.5f) * distance / magnification;
  const Axes a = axes(yaw, pitch);
  target = add(add(target, a.right, right * height), a.up, up * height);
}

void Camera::dolly(float factor) {
  distance = std::clamp(distance * factor, scene_radius_ * 1e-3f, scene_radius_ * 1e3f);
}

// Outside the bounding sphere, measured from the target, with room for the near plane.
float Camera::nearest_distance() const {
  const Float3 offset = add(target, scene_center_, -1);
  return 1.05f * (scene_radius_ + std::sqrt(dot(offset, offset)));
}

void Camera::zoom(float factor, float x, float y) {
  if (!(factor > 0)) return;
  pan(x, y);
  float rest = factor;
  if (rest > 1) {
    const float nearest = std::min(nearest_distance(), distance);
    const float nearer = std::max(distance / rest, nearest);
    rest *= nearer / distance;
    distance = nearer;
    magnification = std::min(magnification * rest, kMaxMagnification);
  } else {
    const float wider = std::max(magnification * rest, 1.0f);
    rest *= magnification / wider;
    magnification = wider;
    if (rest < 1) dolly(1 / rest);
  }
  pan(-x, -y);
}

Float3 Camera::eye() const {
  return add(target, axes(yaw, pitch).back, distance);
}

float Camera::near_plane() const {
  const Float3 offset = add(eye(), scene_center_, -1);
  return std::max(std::sqrt(dot(offset, offset)) - scene_radius_ * 1.01f, distance * 1e-3f);
}

float Camera::far_plane() const {
  const Float3 offset = add(eye(), scene_center_, -1);
  return std::max(std::sqrt(dot(offset, offset)) + scene_radius_ * 1.01f, near_plane() * 2);
}

Mat4 Camera::view() const {
  const Axes a = axes(yaw, pitch);
  const Float3 e = eye();
  return {a.right[0], a.up[0], a.back[0], 0, a.right[1],       a.up[1],       a.back[1],       0,
          a.right[2], a.up[2], a.back[2], 0, -dot(a.right, e), -dot(a.up, e), -dot(a.back, e), 1};
}

Mat4 Camera::projection(float aspect) const {
  const float scale = magnification / std::tan(radians(fov) * 0.5f);
  const float n = near_plane(), f = far_plane();
  Mat4 m{};
  m[0] = scale / aspect;
  m[5] = -scale;
  m[10] = n / (f - n);
  m[14] = n * f / (f - n);
  m[11] = -1;
  return m;
}

Mat4 Camera::clip_from_object(float aspect) const {
  return multiply(projection(aspect), view());
}

}  // namespace hw::viewport
