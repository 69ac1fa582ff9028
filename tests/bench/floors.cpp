// The floors, built with -march=native. Threads are those of the engine's pool.
#include "tests/bench/floors.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <unordered_map>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "engine/backend/cpu/dnnl/dnnl_descs.h"
#include "engine/backend/cpu/dnnl/dnnl_engine.h"
#include "engine/core/huge_buffer.h"
#include "engine/core/parallel.h"
#include "engine/core/philox.h"

namespace hw::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class F>
double best_of(int times, F&& f) {
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const double begin = now();
    f();
    best = std::min(best, now() - begin);
  }
  return best;
}

// Splits [0, count) into pieces for the pool.
template <class F>
void in_pieces(int64_t count, int64_t piece, F&& f) {
  parallel_for((count + piece - 1) / piece, [&](int64_t i) { f(i * piece, std::min(count, (i + 1) * piece)); });
}

template <int D>
struct Corners {
  uint32_t index[1 << D];
  float weight[1 << D];
};

constexpr uint32_t kPrimes[3] = {1, 2654435761u, 805459861u};

// One point in one level, in plain code.
template <int D>
Corners<D> corners_of(const HashGridLevel& level, const float* x) {
  Corners<D> c;
  uint32_t cell[D];
  float frac[D];
  for (int d = 0; d < D; ++d) {
    const float pos = x[d] * level.scale + 0.5f, floor = std::floor(pos);
    cell[d] = static_cast<uint32_t>(floor);
    frac[d] = pos - floor;
  }
  for (uint32_t k = 0; k < 1u << D; ++k) {
    uint32_t row_major = 0, hashed = 0;
    float weight = 1;
    for (int d = D - 1; d >= 0; --d) {
      const uint32_t up = k >> d & 1, at = cell[d] + up;
      row_major = row_major * level.resolution + at;
      hashed ^= at * kPrimes[d];
      weight *= up ? frac[d] : 1 - frac[d];
    }
    c.index[k] = level.dense ? std::min(row_major, level.entries - 1) : hashed & (level.entries - 1);
    c.weight[k] = weight;
  }
  return c;
}

#ifdef __AVX512F__
// 16 points in one level of an f16 table; writes the two features as f32.
template <int D>
void gather16(const HashGridLevel& level, const uint32_t* table, const std::vector<float>* x, int64_t at, float* out0,
              float* out1) {
  __m512i cell[D];
  __m512 frac[D];
  for (int d = 0; d < D; ++d) {
    const __m512 pos =
        _mm512_fmadd_ps(_mm512_loadu_ps(x[d].data() + at), _mm512_set1_ps(level.scale), _mm512_set1_ps(0.5f));
    const __m512 floor = _mm512_roundscale_ps(pos, 9);
    cell[d] = _mm512_cvttps_epi32(floor);
    frac[d] = _mm512_sub_ps(pos, floor);
  }
  const __m512i one = _mm512_set1_epi32(1), r = _mm512_set1_epi32(static_cast<int>(level.resolution)),
                last = _mm512_set1_epi32(static_cast<int>(level.entries - 1));
  __m512 sum0 = _mm512_setzero_ps(), sum1 = sum0;
  for (int k = 0; k < 1 << D; ++k) {
    __m512 w = _mm512_set1_ps(1);
    __m512i index = _mm512_setzero_si512();
    for (int d = D - 1; d >= 0; --d) {
      const bool up = k >> d & 1;
      const __m512i q = up ? _mm512_add_epi32(cell[d], one) : cell[d];
      w = _mm512_mul_ps(w, up ? frac[d] : _mm512_sub_ps(_mm512_set1_ps(1), frac[d]));
      index = level.dense
                  ? _mm512_add_epi32(q, _mm512_mullo_epi32(r, index))
                  : _mm512_xor_si512(index, _mm512_mullo_epi32(q, _mm512_set1_epi32(static_cast<int>(kPrimes[d]))));
    }
    index = level.dense ? _mm512_min_epu32(index, last) : _mm512_and_si512(index, last);
    const __m512i pair = _mm512_i32gather_epi32(index, table, 4);
    sum0 = _mm512_fmadd_ps(w, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pair)), sum0);
    sum1 = _mm512_fmadd_ps(w, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pair, 16))), sum1);
  }
  _mm512_storeu_ps(out0, sum0);
  _mm512_storeu_ps(out1, sum1);
}
#endif

}  // namespace

struct Floors::State {
  HashGridAttr grid;
  std::vector<float> rows;  // [n, D]
  std::vector<float> x[3];  // the same as arrays
  Sampled sampled;
  int64_t n = 0, params = 0, touched = 0;
  HugeBuffer table_memory, gradient_memory;  // as the engine has them
  uint32_t* table = nullptr;                 // f16 pairs
  float* gradient = nullptr;
  std::vector<float> encoded;  // level by level, feature by feature
  std::vector<float> m, v, master;
  std::vector<uint16_t> view;
  std::vector<float> a, b, c;      // triad
  std::vector<double> cumulative;  // areas of the mesh's triangles
};

Floors::Floors(const HashGridAttr& grid, std::vector<float> positions, int64_t touched_blocks, Sampled sampled)
    : s_(std::make_unique<State>()) {
  State& s = *s_;
  s.grid = grid;
  const auto dims = static_cast<size_t>(grid.dims);
  s.n = static_cast<int64_t>(positions.size() / dims);
  s.rows = std::move(positions);
  for (size_t i = 0; i < s.rows.size(); ++i) s.x[i % dims].push_back(s.rows[i]);
  s.sampled = std::move(sampled);
  s.params = int64_t{grid.table_entries()} * 2;
  s.touched = touched_blocks * 16;
  s.table_memory = HugeBuffer(size_t{grid.table_entries()} * sizeof(uint32_t));
  s.table = reinterpret_cast<uint32_t*>(s.table_memory.data());
  std::fill(s.table, s.table + grid.table_entries(), 0x2c002c00u);
  s.encoded.resize(static_cast<size_t>(s.n) * grid.levels.size() * 2, 1.0f);
  s.gradient_memory = HugeBuffer(static_cast<size_t>(s.params) * sizeof(float), true);
  s.gradient = reinterpret_cast<float*>(s.gradient_memory.data());
  s.m.resize(static_cast<size_t>(s.params));
  s.v = s.master = s.m;
  s.view.resize(s.m.size());
  s.a.assign(size_t{1} << 25, 1.0f);
  s.b = s.c = s.a;
  const auto* mesh = std::get_if<std::shared_ptr<const Mesh>>(&s.sampled);
  if (!mesh) return;
  double sum = 0;
  for (const auto& t : (*mesh)->triangles) {
    float e[2][3];
    for (size_t d = 0; d < 3; ++d) {
      e[0][d] = (*mesh)->positions[t[1]][d] - (*mesh)->positions[t[0]][d];
      e[1][d] = (*mesh)->positions[t[2]][d] - (*mesh)->positions[t[0]][d];
    }
    const float cx = e[0][1] * e[1][2] - e[0][2] * e[1][1], cy = e[0][2] * e[1][0] - e[0][0] * e[1][2],
                cz = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    s.cumulative.push_back(sum += std::sqrt(cx * cx + cy * cy + cz * cz));
  }
}

Floors::~Floors() = default;

double Floors::triad_bandwidth() {
  State& s = *s_;
  const auto size = static_cast<int64_t>(s.a.size());
  const double seconds = best_of(3, [&] {
    in_pieces(size, 1 << 18, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto k = static_cast<size_t>(i);
        s.c[k] = s.a[k] + 0.5f * s.b[k];
      }
    });
  });
  return 12.0 * static_cast<double>(size) / seconds;
}

double Floors::sampler() {
  if (const auto* mesh = std::get_if<std::shared_ptr<const Mesh>>(&s_->sampled)) return surface_sampler(**mesh);
  return image_sampler(*std::get<std::shared_ptr<const Image>>(s_->sampled));
}

// One Philox block and one texel a point.
double Floors::image_sampler(const Image& image) {
  const int64_t n = s_->n;
  std::vector<float> out(static_cast<size_t>(n) * 5);
  return best_of(2, [&] {
    in_pieces(n, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Philox4 r = philox_block(1, 2, 3, static_cast<uint64_t>(i));
        const uint64_t column = (uint64_t{r[0]} * static_cast<uint64_t>(image.width)) >> 32,
                       row = (uint64_t{r[1]} * static_cast<uint64_t>(image.height)) >> 32;
        const uint8_t* texel = image.rgba.data() + (row * static_cast<uint64_t>(image.width) + column) * 4;
        float* o = out.data() + 5 * i;
        o[0] = (static_cast<float>(column) + 0.5f) / static_cast<float>(image.width);
        o[1] = (static_cast<float>(row) + 0.5f) / static_cast<float>(image.height);
        for (size_t ch = 0; ch < 3; ++ch) o[2 + ch] = static_cast<float>(texel[ch]) * (1.0f / 255);
      }
    });
  });
}

// One Philox block, a search, three vertices and four texels a point.
double Floors::surface_sampler(const Mesh& mesh) {
  State& s = *s_;
  const Image& image = *mesh.parts[0].texture;
  std::vector<float> out(static_cast<size_t>(s.n) * 11);
  return best_of(2, [&] {
    in_pieces(s.n, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Philox4 r = philox_block(1, 2, 3, static_cast<uint64_t>(i));
        const double u = static_cast<double>(r[0]) * 0x1p-32 * s.cumulative.back();
        const auto t = static_cast<size_t>(std::upper_bound(s.cumulative.begin(), s.cumulative.end() - 1, u) -
                                           s.cumulative.begin());
        const float q = std::sqrt(uniform01(r[2])), p = uniform01(r[3]);
        const float w[3] = {1 - q, q * (1 - p), q * p};
        float* o = out.data() + 11 * i;
        std::memset(o, 0, 11 * sizeof(float));
        for (size_t k = 0; k < 3; ++k) {
          const size_t vertex = mesh.triangles[t][k];
          for (size_t d = 0; d < 3; ++d) {
            o[d] += w[k] * mesh.positions[vertex][d];
            o[3 + d] += w[k] * mesh.normals[vertex][d];
          }
          for (size_t d = 0; d < 2; ++d) o[6 + d] += w[k] * mesh.uvs[vertex][d];
        }
        const float x = o[6] * static_cast<float>(image.width - 2),
                    y = (1 - o[7]) * static_cast<float>(image.height - 2);
        const auto column = static_cast<size_t>(std::max(x, 0.0f)), row = static_cast<size_t>(std::max(y, 0.0f));
        const float fx = x - static_cast<float>(column), fy = y - static_cast<float>(row);
        const uint8_t* texel = image.rgba.data() + (row * static_cast<size_t>(image.width) + column) * 4;
        const uint8_t* below = texel + image.width * 4;
        for (size_t ch = 0; ch < 3; ++ch)
          o[8 + ch] = ((static_cast<float>(texel[ch]) * (1 - fx) + static_cast<float>(texel[ch + 4]) * fx) * (1 - fy) +
                       (static_cast<float>(below[ch]) * (1 - fx) + static_cast<float>(below[ch + 4]) * fx) * fy) /
                      255;
      }
    });
  });
}

template <int D>
double Floors::hash_forward_in() {
  State& s = *s_;
  return best_of(2, [&] {
    in_pieces(s.n, 1024, [&](int64_t begin, int64_t end) {
      for (size_t l = 0; l < s.grid.levels.size(); ++l) {
        const HashGridLevel& level = s.grid.levels[l];
        const uint32_t* table = s.table + level.offset;
        float* out0 = s.encoded.data() + 2 * static_cast<int64_t>(l) * s.n;
        float* out1 = out0 + s.n;
#ifdef __AVX512F__
        for (int64_t i = begin; i + 16 <= end; i += 16) gather16<D>(level, table, s.x, i, out0 + i, out1 + i);
#else
        for (int64_t i = begin; i < end; ++i) {
          const Corners<D> c = corners_of<D>(level, s.rows.data() + D * i);
          float sum = 0;
          for (int k = 0; k < 1 << D; ++k) sum += c.weight[k] * static_cast<float>(table[c.index[k]] & 0xFFFFu);
          out0[i] = out1[i] = sum + s.x[0][static_cast<size_t>(i)];
        }
#endif
      }
    });
  });
}

template <int D>
double Floors::hash_backward_in() {
  State& s = *s_;
  const auto levels = static_cast<int64_t>(s.grid.levels.size());
  return best_of(2, [&] {
    parallel_for(levels, [&](int64_t k) {
      const int64_t l = levels - 1 - k;
      const HashGridLevel& level = s.grid.levels[static_cast<size_t>(l)];
      float* gradient = s.gradient + 2 * size_t{level.offset};
      const float *g0 = s.encoded.data() + 2 * l * s.n, *g1 = g0 + s.n;
      for (int64_t i = 0; i < s.n; ++i) {
        const Corners<D> c = corners_of<D>(level, s.rows.data() + D * i);
        for (int corner = 0; corner < 1 << D; ++corner) {
          float* sum = gradient + 2 * size_t{c.index[corner]};
          sum[0] += c.weight[corner] * g0[i];
          sum[1] += c.weight[corner] * g1[i];
        }
      }
    });
  });
}

double Floors::hash_forward() {
  return s_->grid.dims == 2 ? hash_forward_in<2>() : hash_forward_in<3>();
}

double Floors::hash_backward() {
  return s_->grid.dims == 2 ? hash_backward_in<2>() : hash_backward_in<3>();
}

double Floors::products() {
  struct Shape {
    int64_t k, m;
    bool transposed_a;
  };
  // Forward: 32→32 twice, 32→3. Backward: the inputs of each, and the weights of each (k is the tile's rows there).
  const Shape shapes[] = {{32, 32, false}, {32, 32, false}, {32, 3, false}, {32, 32, false}, {32, 32, false},
                          {3, 32, false},  {32, 32, true},  {32, 32, true}, {32, 3, true}};
  const dnnl::engine& engine = cpu::dnnl_engine();
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  double best = 1e30;
  for (int64_t tile : {256, 512, 1024, 2048}) {
    std::vector<dnnl::matmul> products;
    std::vector<dnnl::matmul::primitive_desc> descs;
    size_t scratch = 0;
    for (const Shape& shape : shapes) {
      using dims = dnnl::memory::dims;
      const auto f32 = dnnl::memory::data_type::f32;
      const dims a = shape.transposed_a ? dims{shape.k, tile} : dims{tile, shape.k};
      const dims a_strides = shape.transposed_a ? dims{1, shape.k} : dims{shape.k, 1};
      descs.push_back(cpu::matmul_desc({a, f32, a_strides}, {{a[1], shape.m}, f32, dims{shape.m, 1}},
                                       {{a[0], shape.m}, f32, dims{shape.m, 1}}, cpu::user_scratchpad()));
      products.emplace_back(descs.back());
      scratch = std::max(scratch, descs.back().scratchpad_desc().get_size());
    }
    best =
        std::min(best, best_of(2, [&] {
                   in_pieces(s_->n, s_->n / 16, [&](int64_t begin, int64_t end) {
                     const int mine = omp_get_max_threads();
                     omp_set_num_threads(1);
                     dnnl::stream stream(engine);
                     std::vector<float> a(static_cast<size_t>(tile) * 32, 1.0f), b = a, c = a, w(1024, 1.0f), dw = w;
                     std::vector<std::byte> pad(scratch + 64);
                     std::vector<std::unordered_map<int, dnnl::memory>> args;
                     for (size_t k = 0; k < products.size(); ++k) {
                       const bool t = shapes[k].transposed_a;
                       args.push_back({{DNNL_ARG_SRC, {descs[k].src_desc(), engine, a.data()}},
                                       {DNNL_ARG_WEIGHTS, {descs[k].weights_desc(), engine, t ? b.data() : w.data()}},
                                       {DNNL_ARG_DST, {descs[k].dst_desc(), engine, t ? dw.data() : c.data()}},
                                       {DNNL_ARG_SCRATCHPAD, {descs[k].scratchpad_desc(), engine, pad.data()}}});
                     }
                     for (int64_t i = begin; i < end; i += tile)
                       for (size_t k = 0; k < products.size(); ++k) products[k].execute(stream, args[k]);
                     omp_set_num_threads(mine);
                   });
                 }));
  }
  omp_set_num_threads(before);
  return best;
}

// Reads the gradient, reads and writes both moments and the master, writes the f16 view; hardly any arithmetic.
double Floors::adam() {
  State& s = *s_;
  return best_of(2, [&] {
    in_pieces(s.touched, 1 << 15, [&](int64_t begin, int64_t end) {
      const float* g = s.gradient;
      float *m = s.m.data(), *v = s.v.data(), *p = s.master.data();
      uint16_t* view = s.view.data();
      for (int64_t i = begin; i < end; ++i) {
        m[i] = 0.9f * m[i] + 0.1f * g[i];
        v[i] = 0.99f * v[i] + 0.01f * g[i];
        p[i] = p[i] - 0.01f * m[i];
        uint32_t bits;
        std::memcpy(&bits, p + i, 4);
        view[i] = static_cast<uint16_t>(bits >> 16);
      }
    });
  });
}

}  // namespace hw::bench
