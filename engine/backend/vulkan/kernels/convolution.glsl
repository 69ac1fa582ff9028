// What convolutions are made of besides products: engine/backend/gpu/ops/convolution.h.
//! include rounding.glsl

/// gpu::ConvShape, and its functions as macros of f.s.
struct ConvShape {
  int64_t pictures, channels, height, width;
  int64_t kernel_h, kernel_w, out_h, out_w, outputs;
  int64_t stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
};
#define TAPS (f.s.kernel_h * f.s.kernel_w)
#define AREA (f.s.out_h * f.s.out_w)
#define COLUMNS (f.s.channels * TAPS * AREA)
#define PICTURE (f.s.channels * f.s.height * f.s.width)

//! kernel Im2Col
//! real
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int ROUNDED = 1;
layout(constant_id = 2) const int Y = 1;  // of f.round
struct Functor {
  ConvShape s;
  Memory x;
  Memory round_x;  // RoundFactor<T> round
  uint8_t rounded;
  uint8_t pad[7];
  Memory round_y;
};
//! functor
void item(int64_t i) {
  const int64_t area = AREA, taps = TAPS;
  const int64_t column = i % f.s.out_w, row = i / f.s.out_w % f.s.out_h, tap = i / area % taps;
  const int64_t channel = i / area / taps % f.s.channels, n = i / COLUMNS;
  const int64_t h = row * f.s.stride_h - f.s.pad_h + tap / f.s.kernel_w * f.s.dilation_h;
  const int64_t w = column * f.s.stride_w - f.s.pad_w + tap % f.s.kernel_w * f.s.dilation_w;
  REAL value = REAL(0);
  if (h >= 0l && h < f.s.height && w >= 0l && w < f.s.width) {
    const int64_t at = ((n * f.s.channels + channel) * f.s.height + h) * f.s.width + w;
    value = rounded_to(ROUNDED, load(X, f.x.data, at));
  }
  store(Y, f.round_y.data, i, value);
}

//! kernel Col2Im
//! real
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int BIAS = 1;
struct Functor {
  ConvShape s;
  uint64_t columns;
  Memory x, bias;
};
//! functor
#ifdef REAL_IS_F64
#define COLUMN_AT(i) F64(f.columns, i)
#else
#define COLUMN_AT(i) double(F32(f.columns, i))
#endif
void item(int64_t i) {
  const int64_t w = i % f.s.width, h = i / f.s.width % f.s.height;
  const int64_t channel = i / f.s.width / f.s.height % f.s.channels, n = i / PICTURE;
  const int64_t area = AREA, first = n * COLUMNS, first_tap = channel * TAPS;
  double sum = 0.0lf;
  for (int64_t p = 0l; p < f.s.kernel_h; ++p) {
    const int64_t from_h = h + f.s.pad_h - p * f.s.dilation_h;
    if (from_h < 0l || from_h % f.s.stride_h != 0l || from_h / f.s.stride_h >= f.s.out_h) continue;
    for (int64_t q = 0l; q < f.s.kernel_w; ++q) {
      const int64_t from_w = w + f.s.pad_w - q * f.s.dilation_w;
      if (from_w < 0l || from_w % f.s.stride_w != 0l || from_w / f.s.stride_w >= f.s.out_w) continue;
      const int64_t tap = first_tap + p * f.s.kernel_w + q;
      sum += COLUMN_AT(first + tap * area + from_h / f.s.stride_h * f.s.out_w + from_w / f.s.stride_w);
    }
  }
  if (f.bias.data != 0ul)
    store(X, f.x.data, i, REAL(sum) + load(BIAS, f.bias.data, channel));
  else
    store(X, f.x.data, i, sum);
}

//! kernel AddPictures
//! real
struct Functor {
  uint64_t parts;
  int64_t pictures, size;
  uint8_t first;
  uint8_t pad[7];
  uint64_t total;
};
//! functor
#ifdef REAL_IS_F64
#define PART_AT(i) F64(f.parts, i)
#else
#define PART_AT(i) double(F32(f.parts, i))
#endif
void item(int64_t i) {
  double sum = 0.0lf;
  if (f.first == uint8_t(0)) sum = F64(f.total, i);
  for (int64_t n = 0l; n < f.pictures; ++n) sum += PART_AT(n * f.size + i);
  F64(f.total, i) = sum;
}

//! kernel AddChannelBias
//! real
layout(constant_id = 0) const int BIAS = 1;
layout(constant_id = 1) const int Y = 1;
struct Functor {
  Memory bias, y;
  int64_t area, channels;
};
//! functor
void item(int64_t i) {
  store(Y, f.y.data, i, load(Y, f.y.data, i) + load(BIAS, f.bias.data, i / f.area % f.channels));
}
