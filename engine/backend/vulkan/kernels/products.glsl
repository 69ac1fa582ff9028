// Matrix products: engine/backend/gpu/ops/plain_product.h, products.h.
//! include rounding.glsl

/// gpu::Gemm.
struct Gemm {
  uint8_t operand, result, transpose_a, transpose_b;
  uint8_t pad0[4];
  int64_t n, k, m, batch;
  uint64_t a, b, c;
  int64_t step_a, step_b, step_c;
  uint64_t bias;
  uint8_t takes_bias;
  uint8_t pad1[7];
  uint64_t matrix;
  uint8_t adds_matrix;
  uint8_t pad2[7];
};

//! kernel PlainProduct
//! real
layout(constant_id = 0) const int TRANSPOSE_A = 0;
layout(constant_id = 1) const int TRANSPOSE_B = 0;
layout(constant_id = 2) const int A = 1;
layout(constant_id = 3) const int B = 1;
layout(constant_id = 4) const int C = 1;
layout(constant_id = 5) const int RESULT = 1;  // of bias and matrix
struct Functor {
  Gemm g;
  Memory a, b, c;
};
//! functor
void item(int64_t i) {
  const int64_t n = f.g.n, length = f.g.k, m = f.g.m;
  const int64_t column = i % m, row = i / m % n, matrix = i / (n * m);
  int64_t at_a = matrix * f.g.step_a, at_b = matrix * f.g.step_b, step_a = 1l, step_b = 1l;
  if (TRANSPOSE_A != 0) {
    at_a += row;
    step_a = n;
  } else {
    at_a += row * length;
  }
  if (TRANSPOSE_B != 0) {
    at_b += column * length;
  } else {
    at_b += column;
    step_b = m;
  }
  REAL sum = REAL(0);
  for (int64_t k = 0l; k < length; ++k) {
    sum = fma(load(A, f.a.data, at_a), load(B, f.b.data, at_b), sum);
    at_a += step_a;
    at_b += step_b;
  }
  if (f.g.bias != 0ul) sum += load(RESULT, f.g.bias, column);
  if (f.g.adds_matrix != uint8_t(0)) sum += load(RESULT, f.g.matrix, row * m + column);
  store(C, f.c.data, matrix * f.g.step_c + row * m + column, sum);
}

//! kernel TiledProduct
//! real
//! groups
// PlainProduct by tiles: a workgroup makes TILE · TILE elements of one C at a time, a thread 8 · 8 (f64: 4 · 4).
// Every element is its plain sum, in order of k. push.items: the tiles of all C, those beside each other first.
// Which operands are transposed is no constant: it is asked once a tile, and kernels of this size take long to compile.
layout(constant_id = 0) const int A = 1;
layout(constant_id = 1) const int B = 1;
layout(constant_id = 2) const int C = 1;
layout(constant_id = 3) const int RESULT = 1;  // of bias and matrix
struct Functor {
  Gemm g;
  Memory a, b, c;
};
//! functor
#ifdef REAL_IS_F64
#define REAL4 dvec4
const int TILE = 32;
#else
#define REAL4 vec4
const int TILE = 64;
#endif
const int SLICE = 16;        // places along k that lie in shared memory
const int PITCH = TILE + 4;  // from one to the next there
const int B_AT = SLICE * PITCH;
shared REAL slices[2 * SLICE * PITCH];  // of A, then of B; at the end 32 rows of a tile's sums

/// Into slices[to…]: `depth` places along k of `lines` rows of A, or columns of B, from element `at` on; 0 beyond them.
/// `along`: neighbours in memory are neighbours in k; `pitch`: from one line (else from one k) to the next in memory.
void stage(int dtype, uint64_t data, int64_t at, int64_t pitch, bool along, int lines, int depth, int to) {
  const int lane = int(gl_LocalInvocationID.x);
  int line = lane % TILE, k = lane / TILE, line_step = 0, k_step = 64 / TILE;
  int64_t from = at + int64_t(k) * pitch + int64_t(line);
  if (along) {
    line = lane / SLICE;
    k = lane % SLICE;
    line_step = 64 / SLICE;
    k_step = 0;
    from = at + int64_t(line) * pitch + int64_t(k);
  }
  const int64_t step = int64_t(line_step + k_step) * pitch;
  [[unroll]] for (int j = 0; j < TILE * SLICE / 64; ++j) {
    REAL value = REAL(0);
    if (line < lines && k < depth) value = load(dtype, data, from);
    slices[to + k * PITCH + line] = value;
    line += line_step;
    k += k_step;
    from += step;
  }
}

REAL4 four_at(int at) { return REAL4(slices[at], slices[at + 1], slices[at + 2], slices[at + 3]); }
void put_four(int at, REAL4 four) {
  slices[at] = four.x;
  slices[at + 1] = four.y;
  slices[at + 2] = four.z;
  slices[at + 3] = four.w;
}

/// 32 rows of C, from the sums in shared memory.
void store_rows(int64_t matrix, int64_t first_row, int64_t first_column) {
  const int64_t n = f.g.n, m = f.g.m;
  for (int j = int(gl_LocalInvocationID.x); j < 32 * TILE; j += 64) {
    const int64_t row = first_row + int64_t(j / TILE), column = first_column + int64_t(j % TILE);
    if (row >= n || column >= m) continue;
    REAL sum = slices[j];
    if (f.g.bias != 0ul) sum += load(RESULT, f.g.bias, column);
    if (f.g.adds_matrix != uint8_t(0)) sum += load(RESULT, f.g.matrix, row * m + column);
    store(C, f.c.data, matrix * f.g.step_c + row * m + column, sum);
  }
}

// A thread's rows are 4 * down + 0…3 and 32 further on, its columns 4 * across + 0…3 and 32 further on. Indices of
// `sums` are constants, so that they stay in registers.
#ifdef REAL_IS_F64
#define CLEAR_ROW(r) sums[r] = REAL4(0);
#define ADD_ROW(r, factor) sums[r] = fma(REAL4(factor), b0, sums[r]);
#define PUT_ROW(r) put_four((4 * down + r % 4) * TILE + 4 * across, sums[r]);
#else
#define CLEAR_ROW(r) sums[2 * r] = sums[2 * r + 1] = REAL4(0);
#define ADD_ROW(r, factor)                           \
  sums[2 * r] = fma(REAL4(factor), b0, sums[2 * r]); \
  sums[2 * r + 1] = fma(REAL4(factor), b1, sums[2 * r + 1]);
#define PUT_ROW(r)                                               \
  put_four((4 * down + r % 4) * TILE + 4 * across, sums[2 * r]); \
  put_four((4 * down + r % 4) * TILE + 4 * across + 32, sums[2 * r + 1]);
#endif

void group() {
  const int64_t n = f.g.n, length = f.g.k, m = f.g.m, tile = int64_t(TILE);
  const bool transpose_a = f.g.transpose_a != uint8_t(0), transpose_b = f.g.transpose_b != uint8_t(0);
  const int64_t tiles_across = (m + tile - 1l) / tile, tiles_down = (n + tile - 1l) / tile;
  const int across = int(gl_LocalInvocationID.x) % 8, down = int(gl_LocalInvocationID.x) / 8;
  for (int64_t g = int64_t(gl_WorkGroupID.x); g < push.items; g += int64_t(gl_NumWorkGroups.x)) {
    const int64_t first_column = g % tiles_across * tile, first_row = g / tiles_across % tiles_down * tile;
    const int64_t matrix = g / (tiles_across * tiles_down);
    const int rows = int(min(n - first_row, tile)), columns = int(min(m - first_column, tile));
    // Elements of A and B at k = 0, and from one k to the next.
    int64_t at_a = matrix * f.g.step_a, at_b = matrix * f.g.step_b;
    at_a += transpose_a ? first_row : first_row * length;
    at_b += transpose_b ? first_column * length : first_column;
    const int64_t step_a = transpose_a ? n : 1l, step_b = transpose_b ? 1l : m;
    const int64_t pitch_a = transpose_a ? n : length, pitch_b = transpose_b ? length : m;
    REAL4 sums[TILE / 4];
    CLEAR_ROW(0)
    CLEAR_ROW(1)
    CLEAR_ROW(2)
    CLEAR_ROW(3)
#ifndef REAL_IS_F64
    CLEAR_ROW(4)
    CLEAR_ROW(5)
    CLEAR_ROW(6)
    CLEAR_ROW(7)
#endif
    for (int64_t first = 0l; first < length; first += int64_t(SLICE)) {
      const int depth = int(min(length - first, int64_t(SLICE)));
      barrier();
      stage(A, f.a.data, at_a + first * step_a, pitch_a, !transpose_a, rows, depth, 0);
      stage(B, f.b.data, at_b + first * step_b, pitch_b, transpose_b, columns, depth, B_AT);
      barrier();
      // Beyond `depth` both are 0. Unrolled, since llvmpipe counts turns of loops (Context::most_turns).
      [[unroll]] for (int k = 0; k < SLICE; ++k) {
        const int a_at = k * PITCH + 4 * down, b_at = B_AT + k * PITCH + 4 * across;
        const REAL4 a0 = four_at(a_at), b0 = four_at(b_at);
#ifndef REAL_IS_F64
        const REAL4 a1 = four_at(a_at + 32), b1 = four_at(b_at + 32);
        ADD_ROW(4, a1.x)
        ADD_ROW(5, a1.y)
        ADD_ROW(6, a1.z)
        ADD_ROW(7, a1.w)
#endif
        ADD_ROW(0, a0.x)
        ADD_ROW(1, a0.y)
        ADD_ROW(2, a0.z)
        ADD_ROW(3, a0.w)
      }
    }
    for (int part = 0; part < TILE / 32; ++part) {
      barrier();
      if (part == 0) {
        PUT_ROW(0)
        PUT_ROW(1)
        PUT_ROW(2)
        PUT_ROW(3)
      } else {
#ifndef REAL_IS_F64
        PUT_ROW(4)
        PUT_ROW(5)
        PUT_ROW(6)
        PUT_ROW(7)
#endif
      }
      barrier();
      store_rows(matrix, first_row + int64_t(32 * part), first_column);
    }
  }
}

//! kernel AddBias
//! real
layout(constant_id = 0) const int BIAS = 1;
layout(constant_id = 1) const int C = 1;
struct Functor {
  Memory bias, c;
  int64_t m;
};
//! functor
void item(int64_t i) { store(C, f.c.data, i, load(C, f.c.data, i) + load(BIAS, f.bias.data, i % f.m)); }

//! kernel AddMatrix
//! real
layout(constant_id = 0) const int MATRIX = 1;
layout(constant_id = 1) const int C = 1;
struct Functor {
  Memory matrix, c;
  int64_t size, step;
};
//! functor
void item(int64_t i) {
  const int64_t at = i / f.size * f.step + i % f.size;
  store(C, f.c.data, at, load(C, f.c.data, at) + load(MATRIX, f.matrix.data, i % f.size));
}

//! kernel RoundFactor
//! real
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int ROUNDED = 1;
layout(constant_id = 2) const int Y = 1;
struct Functor {
  Memory x;
  uint8_t rounded;
  uint8_t pad[7];
  Memory y;
};
//! functor
void item(int64_t i) { store(Y, f.y.data, i, rounded_to(ROUNDED, load(X, f.x.data, i))); }

//! kernel RoundResult
//! real
layout(constant_id = 0) const int Y = 1;
struct Functor {
  uint64_t x;
  Memory y;
};
//! functor
#ifdef REAL_IS_F64
void item(int64_t i) { store(Y, f.y.data, i, F64(f.x, i)); }
#else
void item(int64_t i) { store(Y, f.y.data, i, F32(f.x, i)); }
#endif

//! kernel SpreadBias
layout(constant_id = 0) const int BIAS = 1;
layout(constant_id = 1) const int Y = 1;
struct Functor {
  Memory bias, y;
  int64_t area;
};
//! functor
void item(int64_t i) { store(Y, f.y.data, i, load64(BIAS, f.bias.data, i / f.area)); }

