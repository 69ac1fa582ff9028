// Writes what a field and the compose pass need per pixel. Colours stay sRGB-encoded from texture to picture.
#version 450
layout(push_constant) uniform Push {
  mat4 clip_from_object;
  vec4 base_color;
} push;
layout(set = 0, binding = 0) uniform sampler2D base_texture;

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_uv;
layout(location = 3) in vec3 in_colour;
layout(location = 0) out vec4 out_position;  // w = 1 marks a covered pixel
layout(location = 1) out vec4 out_normal;
layout(location = 2) out vec4 out_albedo;

void main() {
  float squared = dot(in_normal, in_normal);
  out_position = vec4(in_position, 1.0);
  out_normal = vec4(squared > 0.0 ? in_normal * inversesqrt(squared) : in_normal, 0.0);
  out_albedo = vec4(texture(base_texture, in_uv).rgb * push.base_color.rgb * in_colour, 1.0);
}
