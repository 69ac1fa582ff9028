// Puts the picture together: background, field colour or the mesh's own texture, split line.
// Where the G-buffer has the picture's size every covered pixel shows its own value and nothing else.
#version 450
layout(push_constant) uniform Push {
  vec4 eye;         // object space
  vec4 top;         // background
  vec4 bottom;
  vec2 out_size;    // pixels of the picture
  ivec2 in_size;    // pixels of the G-buffer
  float scale;      // G-buffer pixels per picture pixel
  float split_x;    // pixels; the texture is left of it
  float divider_x;  // left edge of the divider's pixel column; negative: none
  uint flags;
} push;
layout(set = 0, binding = 0) uniform sampler2D positions;
layout(set = 0, binding = 1) uniform sampler2D normals;
layout(set = 0, binding = 2) uniform sampler2D albedos;
layout(std430, set = 0, binding = 3) readonly buffer Colors { uint colors[]; };
layout(location = 0) out vec4 out_color;

const uint FIELD = 1u;
const uint LIT = 2u;

// Premultiplied colour of one G-buffer pixel; zero where the mesh is not.
vec4 surface(ivec2 pixel, bool field_side) {
  if (any(lessThan(pixel, ivec2(0))) || any(greaterThanEqual(pixel, push.in_size))) return vec4(0.0);
  vec4 position = texelFetch(positions, pixel, 0);
  if (position.w < 0.5) return vec4(0.0);
  vec3 color = field_side ? unpackUnorm4x8(colors[pixel.y * push.in_size.x + pixel.x]).rgb
                          : texelFetch(albedos, pixel, 0).rgb;
  if ((push.flags & LIT) != 0u) {
    vec3 to_eye = normalize(push.eye.xyz - position.xyz);
    color *= 0.3 + 0.7 * abs(dot(texelFetch(normals, pixel, 0).xyz, to_eye));  // both faces: open meshes stay readable
  }
  return vec4(color, 1.0);
}

vec4 interpolated(vec2 at, bool field_side) {
  vec2 corner = at - 0.5;
  ivec2 base = ivec2(floor(corner));
  vec2 t = corner - vec2(base);
  return mix(mix(surface(base, field_side), surface(base + ivec2(1, 0), field_side), t.x),
             mix(surface(base + ivec2(0, 1), field_side), surface(base + ivec2(1, 1), field_side), t.x), t.y);
}

// Exact inside the mesh. Empty pixels beside it take a share of their neighbours, which calms the stair steps.
vec4 exact(ivec2 pixel, bool field_side) {
  vec4 here = surface(pixel, field_side);
  if (here.a > 0.0) return here;
  vec4 sum = surface(pixel + ivec2(1, 0), field_side) + surface(pixel - ivec2(1, 0), field_side) +
             surface(pixel + ivec2(0, 1), field_side) + surface(pixel - ivec2(0, 1), field_side);
  return sum * (sum.a > 1.5 ? 0.25 : 0.2);
}

vec3 background(vec2 at) {
  if (push.top == push.bottom) return push.top.rgb;
  float down = at.y / push.out_size.y;
  float vignette = length(at / push.out_size - vec2(0.5, 0.42));
  vec3 color = mix(push.top.rgb, push.bottom.rgb, smoothstep(0.0, 1.0, down));
  color *= 1.0 - 0.22 * vignette * vignette;
  float noise = fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715))));
  return color + (noise - 0.5) / 255.0;  // without it the gradient shows bands in 8 bits
}

void main() {
  vec2 at = gl_FragCoord.xy;
  bool field_side = (push.flags & FIELD) != 0u && at.x >= push.split_x;
  vec2 source = (at - 0.5 * push.out_size) * push.scale + 0.5 * vec2(push.in_size);
  bool same_grid = push.scale == 1.0 && all(equal(push.out_size, vec2(push.in_size)));
  vec4 mesh = same_grid ? exact(ivec2(at), field_side) : interpolated(source, field_side);
  vec3 color = mesh.a >= 1.0 ? mesh.rgb : background(at) * (1.0 - mesh.a) + mesh.rgb;
  if (push.divider_x >= 0.0 && at.x >= push.divider_x && at.x < push.divider_x + 1.0) color = vec3(0.93, 0.94, 0.96);
  out_color = vec4(color, 1.0);
}
