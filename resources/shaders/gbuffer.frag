// Writes what a field and the compose pass need per pixel. Colours stay sRGB-encoded from texture to picture.
#version 450
layout(push_constant) uniform Push {
  mat4 clip_from_object;
  vec4 base_color;
  uint view;  // View in app/viewport/view.h
} push;
layout(set = 0, binding = 0) uniform sampler2D base_texture;

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_uv;  // v down
layout(location = 3) in vec3 in_colour;
layout(location = 0) out vec4 out_position;  // w = 1 marks a covered pixel
layout(location = 1) out vec4 out_normal;
layout(location = 2) out vec4 out_albedo;  // the surface's own colour in this view

const uint NORMALS = 2u;
const uint UV = 3u;
const uint CHECKER = 4u;
const float SQUARES = 16.0;

// The share of light squares under the pixel: the mean over its footprint in uv, so that far squares turn grey instead
// of flickering (box filter of a square wave, as in Inigo Quilez, "Filtering the checkerboard pattern").
float checker(vec2 at) {
  vec2 width = max(abs(dFdx(at)), abs(dFdy(at))) + 1e-4;
  vec2 wave = 2.0 * (abs(fract((at - 0.5 * width) * 0.5) - 0.5) - abs(fract((at + 0.5 * width) * 0.5) - 0.5)) / width;
  return 0.5 - 0.5 * wave.x * wave.y;
}

void main() {
  float squared = dot(in_normal, in_normal);
  vec3 normal = squared > 0.0 ? in_normal * inversesqrt(squared) : in_normal;
  vec2 uv = vec2(in_uv.x, 1.0 - in_uv.y);
  vec3 color = texture(base_texture, in_uv).rgb * push.base_color.rgb * in_colour;
  if (push.view == NORMALS) color = 0.5 + 0.5 * normal;
  if (push.view == UV) color = vec3(uv - floor(uv), 0.0);
  if (push.view == CHECKER) color = vec3(mix(0.25, 0.9, checker(uv * SQUARES)));
  out_position = vec4(in_position, 1.0);
  out_normal = vec4(normal, 0.0);
  out_albedo = vec4(color, 1.0);
}
