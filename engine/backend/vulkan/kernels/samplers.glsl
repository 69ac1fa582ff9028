//! include draws.glsl
// Points of surfaces and pictures, rows of data sets: engine/backend/gpu/ops/samplers.h; engine/kernels/
// surface_sampler.h, image_sampler.h, row_order.h.

//! kernel SampleSurface
/// kernels::MeshArrays.
struct MeshArrays {
  uint64_t positions, normals, uvs, colours, triangles, cumulative;
  int64_t triangle_count;
  uint last;
  uint pad;
};
struct Functor {
  MeshArrays mesh;
  uint64_t part, parts;
  Drawn drawn;
  uint64_t position, normal, uv, colour;
};
//! functor
// hw::Wrap, in its order.
const uint8_t kRepeat = uint8_t(0), kClamp = uint8_t(2);

/// kernels::PartArrays.
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer PartArrays {
  uint64_t rgba;
  int width, height;
  uint8_t wrap_u, wrap_v;
  uint8_t pad[2];
  float base_color[3];
};

uint pick_triangle(uint r0, uint r1) {
  const double u = double((uint64_t(r0) << 32 | uint64_t(r1)) >> 11) * power_of_two(-53);
  const double target = u * F64(f.mesh.cumulative, f.mesh.triangle_count - 1l);
  int64_t low = 0l, high = f.mesh.triangle_count;
  while (low < high) {
    const int64_t middle = (low + high) / 2l;
    if (F64(f.mesh.cumulative, middle) > target)
      high = middle;
    else
      low = middle + 1l;
  }
  return low < int64_t(f.mesh.last) ? uint(low) : f.mesh.last;
}

float wrap_coordinate(float u, uint8_t wrap) {
  if (wrap == kClamp) return u > 0.0 ? (u < 1.0 ? u : 1.0) : 0.0;
  if (wrap == kRepeat) return u - floor(u);
  const float twice = u - 2.0 * floor(0.5 * u);
  return twice > 1.0 ? 2.0 - twice : twice;
}

int wrap_texel(float i, int n, uint8_t wrap) {
  const float size = float(n);
  if (wrap != kRepeat) return i > 0.0 ? int(i < size - 1.0 ? i : size - 1.0) : 0;
  const float inside = i - size * floor(i / size);
  return inside >= 0.0 && inside < size ? int(inside) : 0;
}

/// texels_about and mix_texels.
void sample_texture(PartArrays part, float u, float v, out float colour[3]) {
  const int width = part.width, height = part.height;
  const uint8_t wrap_u = part.wrap_u, wrap_v = part.wrap_v;
  const float x = wrap_coordinate(u, wrap_u) * float(width) - 0.5;
  const float y = wrap_coordinate(1.0 - v, wrap_v) * float(height) - 0.5;
  const float x0 = floor(x), y0 = floor(y), to_right = x - x0, to_bottom = y - y0;
  const int column[2] = int[2](wrap_texel(x0, width, wrap_u), wrap_texel(x0 + 1.0, width, wrap_u));
  const int row[2] = int[2](wrap_texel(y0, height, wrap_v), wrap_texel(y0 + 1.0, height, wrap_v));
  for (int c = 0; c < 3; ++c) {
    float line[2];
    for (int j = 0; j < 2; ++j) {
      const int64_t texels = int64_t(row[j]) * int64_t(width) * 4l;
      const float left = float(U8(part.rgba, texels + int64_t(column[0] * 4 + c)));
      const float right = float(U8(part.rgba, texels + int64_t(column[1] * 4 + c)));
      line[j] = left * (1.0 - to_right) + right * to_right;
    }
    colour[c] = (line[0] * (1.0 - to_bottom) + line[1] * to_bottom) * (1.0 / 255.0);
  }
}

void normalise(inout float n[3]) {
  const float length_of_n = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (length_of_n > 0.0) {
    for (int d = 0; d < 3; ++d) n[d] /= length_of_n;
  } else {
    n[0] = n[1] = 0.0;
    n[2] = 1.0;
  }
}

void item(int64_t i) {
  const uvec4 r = drawn_block(f.drawn, i);
  const uint triangle = pick_triangle(r[0], r[1]);
  PartArrays part = PartArrays(f.parts + 32ul * uint64_t(U32(f.part, triangle)));
  const bool has_uvs = f.mesh.uvs != 0ul, has_colours = f.mesh.colours != 0ul;
  // point_of_triangle
  const float s = sqrt(unit32_of(r[2])), t = unit32_of(r[3]);
  const float weights[3] = float[3](1.0 - s, s * (1.0 - t), s * t);
  float position[3] = float[3](0.0, 0.0, 0.0), normal[3] = position, colour[3] = position;
  float uv[2] = float[2](0.0, 0.0);
  for (int corner = 0; corner < 3; ++corner) {
    const int64_t v = int64_t(U32(f.mesh.triangles, 3l * int64_t(triangle) + corner));
    const float w = weights[corner];
    for (int d = 0; d < 3; ++d) {
      position[d] += w * F32(f.mesh.positions, 3l * v + d);
      normal[d] += w * F32(f.mesh.normals, 3l * v + d);
    }
    if (has_colours)
      for (int d = 0; d < 3; ++d) colour[d] += w * F32(f.mesh.colours, 3l * v + d);
    if (has_uvs)
      for (int d = 0; d < 2; ++d) uv[d] += w * F32(f.mesh.uvs, 2l * v + d);
  }
  normalise(normal);
  if (!has_colours) colour = float[3](1.0, 1.0, 1.0);
  // colour_point
  float texture_colour[3] = float[3](1.0, 1.0, 1.0);
  if (part.rgba != 0ul && has_uvs) sample_texture(part, uv[0], uv[1], texture_colour);
  for (int c = 0; c < 3; ++c) colour[c] = texture_colour[c] * (part.base_color[c] * colour[c]);
  for (int d = 0; d < 3; ++d) {
    F32(f.position, 3l * i + d) = position[d];
    F32(f.normal, 3l * i + d) = normal[d];
    F32(f.colour, 3l * i + d) = colour[d];
  }
  for (int d = 0; d < 2; ++d) F32(f.uv, 2l * i + d) = uv[d];
}

//! kernel SampleImage
layout(constant_id = 0) const int CHANNEL_BYTES = 1;
layout(constant_id = 1) const int MODE = 0;
struct Functor {
  uint64_t rgba;
  int64_t width, height;
  uint8_t mode;
  uint8_t pad[7];
  uint64_t values;
  Drawn drawn;
  uint64_t position, colour;
};
//! functor
// SampleImageAttr::Mode, in its order.
const int kBilinear = 0, kNearest = 1, kCentres = 2;

/// The value of a channel.
float channel(int64_t at) {
  if (CHANNEL_BYTES == 2) return F32(f.values, uint(U16(f.rgba, at)));
  return F32(f.values, uint(U8(f.rgba, at)));
}

/// kernels::PixelPair.
struct PixelPair {
  int64_t first, second;
  float weight;
};
PixelPair pixel_pair(uint bits, int64_t size) {
  const int64_t at = int64_t(bits) * size - (1l << 23);
  const int64_t whole = at >> 24, last = size - 1l;
  return PixelPair(whole < 0l ? 0l : whole, whole < last ? whole + 1l : last,
                   float(at & 0xFFFFFFl) * (1.0 / 16777216.0));
}

void item(int64_t i) {
  const uvec4 r = drawn_block(f.drawn, i);
  const uint u = r[0] >> 8, v = r[1] >> 8;
  const int64_t width = f.width, height = f.height;
  float position[2] = float[2](unit32_of(r[0]), unit32_of(r[1]));
  float colour[3];
  if (MODE == kBilinear) {
    const PixelPair x = pixel_pair(u, width), y = pixel_pair(v, height);
    const int64_t top = y.first * width * 4l, bottom = y.second * width * 4l;
    for (int c = 0; c < 3; ++c) {
      const float a = channel(top + x.first * 4l + c), b = channel(top + x.second * 4l + c);
      const float d = channel(bottom + x.first * 4l + c), e = channel(bottom + x.second * 4l + c);
      const float up = a * (1.0 - x.weight) + b * x.weight, down = d * (1.0 - x.weight) + e * x.weight;
      colour[c] = up * (1.0 - y.weight) + down * y.weight;
    }
  } else {
    const int64_t column = (int64_t(u) * width) >> 24, row = (int64_t(v) * height) >> 24;
    for (int c = 0; c < 3; ++c) colour[c] = channel((row * width + column) * 4l + c);
    if (MODE == kCentres) {
      position[0] = (float(column) + 0.5) / float(width);
      position[1] = (float(row) + 0.5) / float(height);
    }
  }
  for (int d = 0; d < 2; ++d) F32(f.position, 2l * i + d) = position[d];
  for (int d = 0; d < 3; ++d) F32(f.colour, 3l * i + d) = colour[d];
}

//! kernel ChooseRow
layout(constant_id = 0) const int SHUFFLE = 0;
/// gpu::RowOrder.
struct RowOrder {
  int64_t first, rows, count;
  uint64_t parts;
  uint8_t shuffle;
  uint8_t pad[7];
};
struct Functor {
  RowOrder order;
  Drawn drawn;
  uint64_t all_labels, row, label;
};
//! functor
const int kFeistelRounds = 4;

uint64_t permuted(uint64_t at, uint64_t count, uint64_t seed, uint stream, uint64_t epoch) {
  int half_bits = 1;
  while (half_bits < 31 && (1ul << (2 * half_bits)) < count) ++half_bits;
  const uint64_t mask = (1ul << half_bits) - 1ul;
  do {
    uint64_t left = at >> half_bits, right = at & mask;
    for (int round_number = 0; round_number < kFeistelRounds; ++round_number) {
      const uint64_t counter = uint64_t(round_number) << 32 | right;
      const uint64_t mixed = left ^ (uint64_t(philox_block(seed, stream, epoch, counter)[0]) & mask);
      left = right;
      right = mixed;
    }
    at = left << half_bits | right;
  } while (at >= count);
  return at;
}

void item(int64_t i) {
  const Draw d = draw(f.drawn);
  const uint64_t count = uint64_t(f.order.count);
  const uint64_t index =
      uint64_t(f.order.first) + d.step * f.order.parts * uint64_t(f.order.rows) + d.first + uint64_t(i);
  uint64_t at = index % count;
  if (SHUFFLE != 0) at = permuted(at, count, d.seed, d.stream, index / count);
  I64(f.row, i) = int64_t(at);
  int64_t label = -1l;
  if (f.all_labels != 0ul) label = I64(f.all_labels, at);
  I64(f.label, i) = label;
}

//! kernel CopyRow
layout(constant_id = 0) const int DATA = 1;
struct Functor {
  Memory data;
  uint64_t row;
  int64_t size, stride;
  double mean, std;
  uint64_t x;
};
//! functor
void item(int64_t i) {
  int64_t at = i;
  if (f.row != 0ul) at = I64(f.row, i / f.size) * f.stride + i % f.size;
  double value = load64(DATA, f.data.data, at);
  if (DATA == kU8) value = value / 255.0lf;
  F32(f.x, i) = float((value - f.mean) / f.std);
}
