// As gbuffer.vert, and says where in its triangle a pixel lies: vertices are fetched by hand, one corner at a time.
#version 450
layout(push_constant) uniform Push {
  mat4 clip_from_object;
} push;
layout(std430, set = 0, binding = 0) readonly buffer Vertices { float vertices[]; };  // position, normal, uv, colour
layout(std430, set = 0, binding = 1) readonly buffer Indices { uint indices[]; };

layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec3 out_corner;

const uint STRIDE = 9u;  // of Vertex in app/viewport/pipelines.h, in words

void main() {
  uint first = indices[gl_VertexIndex] * STRIDE;
  out_position = vec3(vertices[first], vertices[first + 1u], vertices[first + 2u]);
  out_normal = vec3(vertices[first + 3u], vertices[first + 4u], vertices[first + 5u]);
  uint corner = uint(gl_VertexIndex) % 3u;
  out_corner = vec3(corner == 0u, corner == 1u, corner == 2u);
  gl_Position = push.clip_from_object * vec4(out_position, 1.0);
}
