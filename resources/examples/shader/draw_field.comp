// One colour a pixel, from the field that `halfwire-cli export --field` wrote as field.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "field.glsl"

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 1) readonly buffer Points {
  vec4 points[];  // a position of the model, and how light it is; 0: nothing is there
};
layout(std430, set = 0, binding = 2) writeonly buffer Colours {
  uint colours[];
};

void main() {
  uint at = min(gl_GlobalInvocationID.x, uint(points.length()) - 1u);  // the last workgroup reaches beyond
  vec4 point = points[at];
  vec3 colour = clamp(field(point.xyz), 0.0, 1.0) * point.w;
  if (point.w == 0.0) colour = vec3(0.94);
  uvec3 bytes = uvec3(colour * 255.0 + 0.5);
  colours[at] = bytes.r | bytes.g << 8 | bytes.b << 16;
}
