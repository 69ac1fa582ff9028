// Rasterises a mesh: object-space position, normal and texture coordinate per vertex.
#version 450
layout(push_constant) uniform Push {
  mat4 clip_from_object;
  vec4 base_color;
  uint view;
} push;

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_uv;
layout(location = 3) in vec4 in_colour;
layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec2 out_uv;
layout(location = 3) out vec3 out_colour;

void main() {
  out_position = in_position;
  out_normal = in_normal;
  out_uv = vec2(in_uv.x, 1.0 - in_uv.y);  // the mesh's v points up, image rows run down
  out_colour = in_colour.rgb;
  gl_Position = push.clip_from_object * vec4(in_position, 1.0);
}
