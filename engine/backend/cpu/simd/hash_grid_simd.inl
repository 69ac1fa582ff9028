// The hash grid for D = 2 and 3, F = 2, over vectors of V::width points. V (see simd_avx2.cpp, simd_avx512.cpp) names the
// instructions; the order of operations is that of engine/kernels/hash_grid.h, so the bits are the same.

struct LevelConstants {
  typename V::F scale;
  typename V::I resolution, resolution2, entries, mask;
  bool dense, wraps;  // wraps: hashed, and entries is no power of two
  bool smoothstep;
};

inline __attribute__((always_inline)) LevelConstants level_constants(const HashGridAttr& grid,
                                                                     const HashGridLevel& level) {
  LevelConstants c;
  c.scale = V::set1(level.scale);
  c.resolution = V::set1_i(level.resolution);
  c.resolution2 = V::set1_i(level.resolution * level.resolution);
  c.entries = V::set1_i(level.entries);
  c.mask = V::set1_i(level.entries - 1);
  c.dense = level.dense;
  c.wraps = !level.dense && (level.entries & (level.entries - 1)) != 0;
  c.smoothstep = grid.smoothstep;
  return c;
}

// Indices modulo `entries`. Dense ones of points in [0, 1] are below 2 · entries: one subtraction is enough.
inline __attribute__((always_inline)) typename V::I wrap(typename V::I index, const LevelConstants& c,
                                                         uint32_t entries) {
  if (!c.dense && !c.wraps) return V::and_i(index, c.mask);
  const typename V::I once = V::min_u(index, V::sub_i(index, c.entries));
  if (!V::any_not_below(once, c.entries)) return once;
  alignas(64) uint32_t lanes[V::width];
  V::store_i(lanes, index);
  for (int i = 0; i < V::width; ++i) lanes[i] %= entries;
  return V::load_i(lanes);
}

// Calls f(corner, entry, weight) for the 2^D corners of V::width points.
template <int D, class F>
inline __attribute__((always_inline)) void for_corners(const LevelConstants& c, uint32_t entries,
                                                       const float* const x[3], int64_t at, F&& f) {
  typename V::I cell[D];
  typename V::F weight[D][2];
  for (int d = 0; d < D; ++d) {
    const typename V::F pos = V::fma(c.scale, V::load(x[d] + at), V::set1(0.5f));
    const typename V::F floor = V::floor(pos);
    cell[d] = V::to_int(floor);
    typename V::F frac = V::sub(pos, floor);
    if (c.smoothstep)
      frac = V::mul(V::mul(frac, frac), V::sub(V::set1(3.0f), V::mul(V::set1(2.0f), frac)));
    weight[d][0] = V::sub(V::set1(1.0f), frac);
    weight[d][1] = frac;
  }
  typename V::I part[D][2];
  for (int d = 0; d < D; ++d)
    for (int up = 0; up < 2; ++up) {
      const typename V::I q = up ? V::add_i(cell[d], V::set1_i(1)) : cell[d];
      if (d == 0)
        part[d][up] = q;
      else if (c.dense)
        part[d][up] = V::mullo(q, d == 1 ? c.resolution : c.resolution2);
      else
        part[d][up] = V::mullo(q, V::set1_i(d == 1 ? 2654435761u : 805459861u));
    }
  for (int corner = 0; corner < 1 << D; ++corner) {
    typename V::I index = part[0][corner & 1];
    typename V::F w = weight[0][corner & 1];
    for (int d = 1; d < D; ++d) {
      const int up = corner >> d & 1;
      index = c.dense ? V::add_i(index, part[d][up]) : V::xor_i(index, part[d][up]);
      w = V::mul(w, weight[d][up]);
    }
    f(corner, wrap(index, c, entries), w);
  }
}

template <int D>
void shares_of(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], const float* g, int64_t n,
               uint32_t* entry, float* shares) {
  const LevelConstants c = level_constants(grid, level);
  // The arrays are kHashBlock long: lanes beyond n hold old coordinates, and their results are ignored.
  for (int64_t i = 0; i < n; i += V::width) {
    const typename V::F low = V::load(g + 2 * i), high = V::load(g + 2 * i + V::width);
    for_corners<D>(c, level.entries, x, i, [&](int corner, typename V::I index, typename V::F w) {
      const int64_t at = corner * kHashBlock + i;
      typename V::F twice[2];
      V::twice(w, twice[0], twice[1]);
      V::store_i(entry + at, index);
      V::store(shares + 2 * at, V::mul(twice[0], low));
      V::store(shares + 2 * at + V::width, V::mul(twice[1], high));
    });
  }
}

inline void shares(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], const float* g,
                   int64_t n, uint32_t* entry, float* shares) {
  return grid.dims == 2 ? shares_of<2>(grid, level, x, g, n, entry, shares)
                        : shares_of<3>(grid, level, x, g, n, entry, shares);
}

// Asks for what gather_level will read. The two corners along x share a line but for one pair in sixteen or so.
template <TableFormat Format, int D>
inline __attribute__((always_inline)) void prefetch_level(const LevelConstants& c, const HashGridLevel& level,
                                                          const float* const x[3], int64_t at, const void* table) {
  const uint32_t* base = static_cast<const uint32_t*>(table) + size_t{level.offset} * words_a_pair(Format);
  for_corners<D>(c, level.entries, x, at, [&](int corner, typename V::I index, typename V::F) {
    if (corner & 1) return;
    alignas(64) uint32_t lanes[V::width];
    V::store_i(lanes, index);
    for (int k = 0; k < V::width; ++k) __builtin_prefetch(base + size_t{lanes[k]} * words_a_pair(Format));
  });
}

// Two features of one vector of points at one level, accumulated corner by corner.
template <TableFormat Format, int D>
inline __attribute__((always_inline)) void gather_level(const LevelConstants& c, const HashGridLevel& level,
                                                        const float* const x[3], int64_t at, const void* table,
                                                        typename V::F& first, typename V::F& second) {
  first = V::set1(0.0f);
  second = first;
  const auto* words = static_cast<const uint32_t*>(table);  // one word an entry; two for f32
  const uint32_t* base = words + size_t{level.offset} * words_a_pair(Format);
  for_corners<D>(c, level.entries, x, at, [&](int, typename V::I index, typename V::F w) {
    if constexpr (Format == TableFormat::f32) {
      const typename V::I even = V::add_i(index, index);
      first = V::fma(w, V::as_float(V::gather(base, even)), first);
      second = V::fma(w, V::as_float(V::gather(base + 1, even)), second);
    } else {
      const typename V::I pair = V::gather(base, index);
      first = V::fma(w, Format == TableFormat::f16 ? V::low_f16(pair) : V::low_bf16(pair), first);
      second = V::fma(w, Format == TableFormat::f16 ? V::high_f16(pair) : V::high_bf16(pair), second);
    }
  });
}

template <TableFormat Format, int D>
void encode_level_as(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], int64_t n,
                     const void* table, uint32_t* pairs, int64_t stride, float* numbers) {
  const LevelConstants constants = level_constants(grid, level);
  // Gathers wait for one another's misses: what they will read is asked for some points ahead. Smaller levels stay near.
  constexpr int64_t kAhead = 64;
  constexpr uint32_t kNearEntries = 1 << 15;
  const bool far = level.entries > kNearEntries;
  for (int64_t i = 0; i < n; i += V::width) {
    if (far && i + kAhead < n) prefetch_level<Format, D>(constants, level, x, i + kAhead, table);
    typename V::F first, second;
    gather_level<Format, D>(constants, level, x, i, table, first, second);
    if constexpr (Format == TableFormat::f32) {
      V::store_i(pairs + i, V::as_int(first));
      V::store_i(pairs + stride + i, V::as_int(second));
    } else {
      if (numbers) {
        V::store(numbers + i, first);
        V::store(numbers + kHashGroup + i, second);
      }
      V::store_i(pairs + i, Format == TableFormat::f16 ? V::pack_f16(first, second) : V::pack_bf16(first, second));
    }
  }
}

template <int D>
void encode_level_of(TableFormat format, const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3],
                     int64_t n, const void* table, uint32_t* pairs, int64_t stride, float* numbers) {
  if (format == TableFormat::f16)
    return encode_level_as<TableFormat::f16, D>(grid, level, x, n, table, pairs, stride, numbers);
  if (format == TableFormat::bf16)
    return encode_level_as<TableFormat::bf16, D>(grid, level, x, n, table, pairs, stride, numbers);
  encode_level_as<TableFormat::f32, D>(grid, level, x, n, table, pairs, stride, numbers);
}

inline void encode_level(TableFormat format, const HashGridAttr& grid, const HashGridLevel& level,
                         const float* const x[3], int64_t n, const void* table, uint32_t* pairs, int64_t stride,
                         float* numbers) {
  return grid.dims == 2 ? encode_level_of<2>(format, grid, level, x, n, table, pairs, stride, numbers)
                        : encode_level_of<3>(format, grid, level, x, n, table, pairs, stride, numbers);
}
