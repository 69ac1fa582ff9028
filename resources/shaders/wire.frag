// The G-buffer of the wireframe: lines of even width along the edges of each triangle.
#version 450
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec3 in_corner;  // barycentric
layout(location = 0) out vec4 out_position;
layout(location = 1) out vec4 out_normal;
layout(location = 2) out vec4 out_albedo;

const vec3 LINE = vec3(0.86, 0.90, 0.95);  // sRGB-encoded
const vec3 FACE = vec3(0.20, 0.22, 0.26);
const float HALF_WIDTH = 0.5;  // pixels; the neighbour draws the other half

void main() {
  float squared = dot(in_normal, in_normal);
  vec2 slope_x = vec2(dFdx(in_corner.x), dFdy(in_corner.x));
  vec2 slope_y = vec2(dFdx(in_corner.y), dFdy(in_corner.y));
  vec2 slope_z = vec2(dFdx(in_corner.z), dFdy(in_corner.z));
  vec3 pixels = in_corner / max(vec3(length(slope_x), length(slope_y), length(slope_z)), vec3(1e-12));
  float nearest = min(pixels.x, min(pixels.y, pixels.z));
  float line = 1.0 - smoothstep(HALF_WIDTH - 0.5, HALF_WIDTH + 0.5, nearest);
  out_position = vec4(in_position, 1.0);
  out_normal = vec4(squared > 0.0 ? in_normal * inversesqrt(squared) : in_normal, 0.0);
  out_albedo = vec4(mix(FACE, LINE, line), 1.0);
}
