// Positions of a hash grid or a triplane. No kernels: a family begins with a line `include positions.glsl`.

layout(constant_id = 0) const int X = 1;  // dtype of the positions, f32 or f64; C++'s template parameter X
layout(constant_id = 1) const int D = 3;  // coordinates of a position

/// a · b + c, rounded once, where a cell depends on it: llvmpipe rounds fma of f32 twice. The product is exact in f64,
/// and the sum there is rounded to odd.
float fused(float a, float b, float c) {
  const double p = double(a) * double(b), q = double(c), s = p + q, t = s - p;
  const double rest = (p - (s - t)) + (q - t);
  uint64_t bits = bits_of(s);
  if (rest != 0.0lf && is_finite(s) && (bits & 1ul) == 0ul)
    bits = (rest > 0.0lf) == (s > 0.0lf) ? bits + 1ul : bits - 1ul;
  return float(double_of(bits));
}
double fused(double a, double b, double c) { return fma(a, b, c); }

/// Where the coordinates of a point begin.
uint64_t point_at(uint64_t positions, int64_t point) {
  return positions + uint64_t(point * D) * (X == kF64 ? 8ul : 4ul);
}
