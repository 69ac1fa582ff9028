// sample_image: points spread uniformly over a picture, with its colour there. Every device follows it, step by step:
//   1. Point i of a step: r = philox_block(seed, stream, step, i); u = uniform01(r0) from left to right,
//      v = uniform01(r1) from top to bottom. Both are whole multiples of 2^-24, so that what follows is exact.
//   2. nearest, centres: the pixel that holds the point; centres then moves the point to the middle of it.
//      bilinear: pixel centres lie at (i + ½) ÷ size; the four around the point are mixed, edges repeat.
//   3. A channel is byte ÷ 255, with 16 bits value ÷ 65535 (sRGB-encoded), or decoded to linear light before mixing:
//      x ≤ 0.04045: x ÷ 12.92, else ((x + 0.055) ÷ 1.055)^2.4 (IEC 61966-2-1).
// Mixing runs in f32 (ref: f64, with code of its own).
#pragma once

#include <vector>

#include "engine/core/philox.h"
#include "engine/kernels/body.h"
#include "engine/program/source_attrs.h"

namespace hw::kernels {

/// Step 3: the value of each of the 2^bits numbers that a channel of 8 or 16 bits may be.
std::vector<float> channel_values(bool linear, int bits);

struct ImagePoint {
  float position[2], colour[3];
};

/// `bits`: the 24 bits of u or v. Two neighbouring pixels and the weight of the second.
struct PixelPair {
  int64_t first, second;
  float weight;
};
HW_BODY PixelPair pixel_pair(uint32_t bits, int64_t size) {
  const int64_t at = static_cast<int64_t>(bits) * size - (int64_t{1} << 23);  // in pixels, 24 fraction bits
  const int64_t whole = at >> 24, last = size - 1;
  return {whole < 0 ? 0 : whole, whole < last ? whole + 1 : last,
          static_cast<float>(at & 0xFFFFFF) * (1.0f / 16777216.0f)};
}

/// Steps 1 to 3 for the random numbers of one point. rgba: rows top to bottom, of uint8_t or uint16_t.
template <class Channel>
HW_BODY ImagePoint sample_pixel(const Channel* rgba, int64_t width, int64_t height, SampleImageAttr::Mode mode,
                                const float* values, uint32_t r0, uint32_t r1) {
  const uint32_t u = r0 >> 8, v = r1 >> 8;
  ImagePoint p{{uniform01(r0), uniform01(r1)}, {}};
  if (mode == SampleImageAttr::Mode::bilinear) {
    const PixelPair x = pixel_pair(u, width), y = pixel_pair(v, height);
    const Channel *top = rgba + y.first * width * 4, *bottom = rgba + y.second * width * 4;
    for (int c = 0; c < 3; ++c) {
      const float a = values[top[x.first * 4 + c]], b = values[top[x.second * 4 + c]];
      const float d = values[bottom[x.first * 4 + c]], e = values[bottom[x.second * 4 + c]];
      const float up = a * (1.0f - x.weight) + b * x.weight, down = d * (1.0f - x.weight) + e * x.weight;
      p.colour[c] = up * (1.0f - y.weight) + down * y.weight;
    }
    return p;
  }
  const int64_t column = (static_cast<int64_t>(u) * width) >> 24, row = (static_cast<int64_t>(v) * height) >> 24;
  for (int c = 0; c < 3; ++c) p.colour[c] = values[rgba[(row * width + column) * 4 + c]];
  if (mode == SampleImageAttr::Mode::centres) {
    p.position[0] = (static_cast<float>(column) + 0.5f) / static_cast<float>(width);
    p.position[1] = (static_cast<float>(row) + 0.5f) / static_cast<float>(height);
  }
  return p;
}

}  // namespace hw::kernels
