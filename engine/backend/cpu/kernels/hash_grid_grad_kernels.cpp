// hash_grid_grad_table: each level of the grid is summed by one thread, points in order: no atomics on the sums, and
// the same bits at any thread count. The gradient stays in memory from run to run; only what the run before touched is
// cleared.
#include <atomic>
#include <cstring>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/backend/cpu/kernels/counted_pieces.h"
#include "engine/backend/cpu/kernels/hash_grid_points.h"
#include "engine/core/huge_buffer.h"
#include "engine/core/parallel.h"
#include "engine/kernels/hash_grid.h"

namespace hw::cpu {
namespace {

constexpr int64_t kTouchBlock = 16;  // elements a touched byte stands for

/// Two sums at once.
inline void add_pair(float* sums, const float* share) {
  using Pair [[gnu::vector_size(2 * sizeof(float))]] = float;
  Pair a, b;
  std::memcpy(&a, sums, sizeof a);
  std::memcpy(&b, share, sizeof b);
  a += b;
  std::memcpy(sums, &a, sizeof a);
}

// Clears the touched blocks [begin, end) and their elements.
template <class T>
void clear_touched(T* grad, uint8_t* touched, int64_t begin, int64_t end, int64_t elements) {
  for (int64_t b = begin; b < end;) {
    if (!touched[b]) {
      ++b;
      continue;
    }
    int64_t stop = b + 1;
    while (stop < end && touched[stop]) ++stop;
    const int64_t first = b * kTouchBlock, last = std::min(stop * kTouchBlock, elements);
    std::memset(grad + first, 0, static_cast<size_t>(last - first) * sizeof(T));
    std::memset(touched + b, 0, static_cast<size_t>(stop - b));
    b = stop;
  }
}

// F = 2, f32 sums. The levels cover whole touched blocks: their offsets are multiples of 8 entries.
class PairGradient : public WholeKernel {
 public:
  explicit PairGradient(const KernelContext& c)
      : grid_(c.attr<HashGridAttr>()),
        shares_(c.simd.hash_grid.shares),
        points_(c.in(0).dims[0]),
        capacity_((points_ + kHashBlock - 1) / kHashBlock * kHashBlock),
        positions_(PointArrays::bytes(capacity_), true),
        pairs_(static_cast<size_t>(capacity_) * grid_.levels.size() * 2 * sizeof(float)) {}

  size_t own_bytes() const override { return positions_.bytes() + pairs_.bytes(); }
  bool keeps_outputs() const override { return true; }

  void run(const WholeRun&, const Operand* in, const Operand* out) override {
    const int64_t blocks = capacity_ / kHashBlock;
    constexpr int64_t kBlocksAtOnce = 16;
    parallel_for((blocks + kBlocksAtOnce - 1) / kBlocksAtOnce, [&](int64_t i) {
      for (int64_t b = i * kBlocksAtOnce; b < std::min(blocks, (i + 1) * kBlocksAtOnce); ++b) arrange(in, b);
    });
    // The finest levels, which cost most, first.
    const auto levels = static_cast<int64_t>(grid_.levels.size());
    parallel_for(levels, [&](int64_t i) { sum_level(levels - 1 - i, out); });
  }

 private:
  // Positions as arrays, gradients level by level as f32.
  void arrange(const Operand* in, int64_t block) {
    const int64_t first = block * kHashBlock, n = std::min(kHashBlock, points_ - first), width = in[1].row_elems;
    const PointArrays all(positions_.data(), capacity_);
    const int64_t dims = grid_.dims;
    const float* rows = in[0].as<float>() + dims * first;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t d = 0; d < dims; ++d) all.x[d][first + i] = rows[dims * i + d];
    constexpr int64_t kRows = 16;
    std::vector<float> wide(static_cast<size_t>(kRows * width));
    const Broadcast same;
    for (int64_t r = 0; r < n; r += kRows) {
      const int64_t count = std::min(kRows, n - r);
      const float* g = same.read(in[1], (first + r) * width, count * width, wide.data());
      for (int64_t l = 0; l < width / 2; ++l) {
        float* pair = pairs(l) + 2 * (first + r);
        for (int64_t i = 0; i < count; ++i) std::memcpy(pair + 2 * i, g + i * width + 2 * l, 2 * sizeof(float));
      }
    }
  }

  void sum_level(int64_t l, const Operand* out) const {
    const HashGridLevel& level = grid_.levels[static_cast<size_t>(l)];
    const int64_t first = level.offset / 8, blocks = level.entries / 8;
    clear_touched(out[0].as<float>(), out[1].as<uint8_t>(), first, first + blocks, out[0].size());
    float* grad = out[0].as<float>() + 2 * int64_t{level.offset};
    uint8_t* touched = out[1].as<uint8_t>() + first;
    // The sums come back from memory in one sweep, not by one miss after the other.
    const int64_t corners = int64_t{1} << grid_.dims;
    if (points_ * corners > int64_t{level.entries} / 2)
      for (int64_t e = 0; e < level.entries; e += 8) __builtin_prefetch(grad + 2 * e, 1, 2);
    const PointArrays all(positions_.data(), capacity_);
    constexpr int64_t kAhead = 16;  // points
    alignas(64) uint32_t entry[8 * kHashBlock];
    alignas(64) float shares[2 * 8 * kHashBlock];
    for (int64_t at = 0; at < points_; at += kHashBlock) {
      const int64_t n = std::min(kHashBlock, points_ - at);
      const float* const x[3] = {all.x[0] + at, all.x[1] + at, all.x[2] + at};
      shares_(grid_, level, x, pairs(l) + 2 * at, n, entry, shares);
      for (int64_t i = 0; i < n; ++i) {
        // The two corners along x mostly share a line.
        for (int64_t c = 0; c < corners && i + kAhead < n; c += 2)
          __builtin_prefetch(grad + 2 * size_t{entry[c * kHashBlock + i + kAhead]}, 1);
        for (int64_t c = 0; c < corners; ++c) {
          const uint32_t e = entry[c * kHashBlock + i];
          add_pair(grad + 2 * size_t{e}, shares + 2 * (c * kHashBlock + i));
          touched[e / 8] = 1;
        }
      }
    }
  }

  float* pairs(int64_t level) const { return reinterpret_cast<float*>(pairs_.data()) + 2 * level * capacity_; }

  HashGridAttr grid_;
  decltype(HashGridLoops::shares) shares_;
  int64_t points_, capacity_;
  HugeBuffer positions_, pairs_;  // [3, capacity]; [level, capacity, 2]
};

// Any D, F and dtype.
template <int D, class X, class Real>
class ScalarGradient : public WholeKernel {
 public:
  explicit ScalarGradient(const KernelContext& c) : grid_(c.attr<HashGridAttr>()) {}
  bool keeps_outputs() const override { return true; }

  void run(const WholeRun&, const Operand* in, const Operand* out) override {
    clear_touched(out[0].as<Real>(), out[1].as<uint8_t>(), 0, out[1].size(), out[0].size());
    parallel_for(static_cast<int64_t>(grid_.levels.size()), [&](int64_t l) { sum_level(l, in, out); });
  }

 private:
  void sum_level(int64_t l, const Operand* in, const Operand* out) const {
    const HashGridLevel& level = grid_.levels[static_cast<size_t>(l)];
    const int64_t features = grid_.features, width = in[1].row_elems;
    std::vector<Real> g(static_cast<size_t>(features));
    const Broadcast same;
    for (int64_t i = 0; i < in[0].rows; ++i) {
      const Real* row = same.read(in[1], i * width + l * features, features, g.data());
      const auto cell = kernels::hash_cell<D, Real>(in[0].as<X>() + i * D, level.scale, grid_.smoothstep);
      for (int corner = 0; corner < 1 << D; ++corner) {
        const int64_t entry = int64_t{level.offset} + kernels::hash_entry(cell, corner, level);
        const Real weight = kernels::hash_weight(cell, corner);
        for (int64_t f = 0; f < features; ++f) {
          const int64_t element = entry * features + f;
          out[0].as<Real>()[element] += weight * row[f];
          // Two levels may share a touched block when F is 1.
          std::atomic_ref(out[1].as<uint8_t>()[element / kTouchBlock]).store(1, std::memory_order_relaxed);
        }
      }
    }
  }

  HashGridAttr grid_;
};

// Sums in f32 beside the gradient, which is rounded from them once. Between runs the sums are 0.
class NarrowGradient : public WholeKernel {
 public:
  NarrowGradient(std::unique_ptr<WholeKernel> wide, const Value& out)
      : wide_(std::move(wide)), sums_(static_cast<size_t>(element_count(out.dims)) * sizeof(float), true) {}

  size_t own_bytes() const override { return wide_->own_bytes() + sums_.bytes(); }
  bool keeps_outputs() const override { return true; }

  void run(const WholeRun& run, const Operand* in, const Operand* out) override {
    const int64_t blocks = out[1].size();
    each_piece(blocks, kBlocksAtOnce, nullptr, [&](int64_t begin, int64_t end, RoundingLosses*) {
      clear_touched(out[0].as<uint16_t>(), out[1].as<uint8_t>(), begin, end, out[0].size());
    });
    Operand sums = out[0];
    sums.dtype = DType::f32;
    sums.data = sums_.data();
    sums.losses = nullptr;
    const Operand made[] = {sums, out[1]};
    wide_->run(run, in, made);
    each_piece(blocks, kBlocksAtOnce, out[0].losses, [&](int64_t begin, int64_t end, RoundingLosses* losses) {
      round_touched(made, out[0], begin, end, losses);
    });
  }

 private:
  static constexpr int64_t kBlocksAtOnce = 4096;

  static void round_touched(const Operand* made, Operand grad, int64_t begin, int64_t end, RoundingLosses* losses) {
    grad.losses = losses;
    auto* sums = made[0].as<float>();
    for (int64_t b = begin; b < end; ++b) {
      if (!made[1].as<uint8_t>()[b]) continue;
      const int64_t first = b * kTouchBlock, n = std::min(kTouchBlock, grad.size() - first);
      store(grad, first, n, DType::f32, sums + first);
      std::memset(sums + first, 0, static_cast<size_t>(n) * sizeof(float));
    }
  }

  std::unique_ptr<WholeKernel> wide_;
  HugeBuffer sums_;
};

template <int D>
std::unique_ptr<WholeKernel> make_scalar(const KernelContext& c) {
  if (c.in(0).dtype == DType::f64) return std::make_unique<ScalarGradient<D, double, double>>(c);
  if (c.out().dtype == DType::f64) return std::make_unique<ScalarGradient<D, float, double>>(c);
  return std::make_unique<ScalarGradient<D, float, float>>(c);
}

}  // namespace

std::unique_ptr<WholeKernel> make_hash_grid_grad_table(const KernelContext& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const DType compute = compute_dtype(c.out().dtype);
  const bool pairs = grid.features == 2 && compute == DType::f32;
  std::unique_ptr<WholeKernel> kernel;
  if (pairs)
    kernel = std::make_unique<PairGradient>(c);
  else
    kernel = grid.dims == 2 ? make_scalar<2>(c) : make_scalar<3>(c);
  if (c.out().dtype == DType::f16) kernel = std::make_unique<NarrowGradient>(std::move(kernel), c.out());
  kernel->kernel_info = {c.in(1).dtype, compute, compute, pairs ? implementation_name(c.simd) : "cpu scalar"};
  return kernel;
}

}  // namespace hw::cpu
