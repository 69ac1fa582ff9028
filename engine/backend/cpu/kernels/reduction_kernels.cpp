// sum_to and reduce in tiles, and gradient_norm. Results are kept in f64; every group has its own, joined in order at
// the end.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/core/parallel.h"
#include "engine/program/tiling.h"

namespace hw::cpu {
namespace {

// How two results become one, from `kStart` on.
struct Sum {
  static constexpr double kStart = 0;
  static double join(double a, double b) { return a + b; }
};
// The largest (smallest); NaN wins.
struct Largest {
  static constexpr double kStart = -std::numeric_limits<double>::infinity();
  static double join(double a, double b) { return b > a || b != b ? b : a; }
};
struct Smallest {
  static constexpr double kStart = std::numeric_limits<double>::infinity();
  static double join(double a, double b) { return b < a || b != b ? b : a; }
};

// Where an element of a row goes in the result, axis by axis.
template <class Fold>
class FoldMap {
 public:
  FoldMap(const Dims& from, const Dims& to, bool keeps_rows) {
    const size_t lead = from.size() - to.size();
    int64_t stride = 1;
    axes_.resize(from.size());
    for (size_t d = from.size(); d-- > 0;) {
      const int64_t size = d >= lead ? to[d - lead] : 1;
      axes_[d] = {from[d], size == 1 ? 0 : stride};
      stride *= size;
      if (size != 1) all_ = false;
    }
    if (keeps_rows && !axes_.empty()) {  // a row's sums are counted from 0
      axes_[0].stride = 0;
      all_ = stride == to[0];
    }
    // Results over leading axes alone keep whole trailing rows.
    int64_t trailing = 1;
    size_t d = from.size();
    while (d > 0 && axes_[d - 1].stride == (axes_[d - 1].size == 1 ? 0 : trailing)) trailing *= axes_[--d].size;
    const int64_t sums = keeps_rows && !to.empty() && to[0] > 0 ? stride / to[0] : stride;
    if (trailing == sums) period_ = trailing;
    outer_axes_ = axes_.size();
    while (outer_axes_ > 1 && axes_[outer_axes_ - 1].stride == 0) inner_ *= axes_[--outer_axes_].size;
  }

  /// Joins n values, elements [first, first + n) of the tile, to `sums`.
  template <class T>
  void add(const T* x, int64_t first, int64_t n, double* sums) const {
    if (all_) return add_all(x, n, sums);
    if (period_ > 0) {
      for (int64_t i = 0; i < n;) {
        const int64_t at = (first + i) % period_, run = std::min(n - i, period_ - at);
        for (int64_t k = 0; k < run; ++k) sums[at + k] = Fold::join(sums[at + k], static_cast<double>(x[i + k]));
        i += run;
      }
      return;
    }
    for (int64_t i = 0; i < n;) {
      const int64_t run = std::min(n - i, inner_ - (first + i) % inner_);
      int64_t rest = (first + i) / inner_, to = 0;
      for (size_t d = outer_axes_; d-- > 1; rest /= axes_[d].size) to += rest % axes_[d].size * axes_[d].stride;
      add_all(x + i, run, sums + to + (outer_axes_ == 0 ? 0 : rest * axes_[0].stride));
      i += run;
    }
  }

 private:
  struct Axis {
    int64_t size, stride;
  };
  template <class T>
  static void add_all(const T* x, int64_t n, double* sum) {
    double l[8];
    std::fill(l, l + 8, Fold::kStart);
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (int k = 0; k < 8; ++k) l[k] = Fold::join(l[k], static_cast<double>(x[i + k]));
    for (; i < n; ++i) l[i % 8] = Fold::join(l[i % 8], static_cast<double>(x[i]));
    const double low = Fold::join(Fold::join(l[0], l[1]), Fold::join(l[2], l[3]));
    const double high = Fold::join(Fold::join(l[4], l[5]), Fold::join(l[6], l[7]));
    *sum = Fold::join(*sum, Fold::join(low, high));
  }
  std::vector<Axis> axes_;
  bool all_ = true;
  int64_t period_ = 0;
  size_t outer_axes_ = 0;  // axes after these are summed: runs of inner_ elements go to one sum
  int64_t inner_ = 1;
};

template <class T, class Fold>
void add_operand(const FoldMap<Fold>& map, const Operand& in, int64_t from, int64_t count, double* sums) {
  T buffer[kBlock];
  const Broadcast same;
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    map.add(same.read(in, from + i, n, buffer), i, n, sums);
  }
}

template <class Fold>
void add_operand(const FoldMap<Fold>& map, const Operand& in, int64_t from, int64_t count, double* sums) {
  if (in.dtype == DType::f64)
    add_operand<double>(map, in, from, count, sums);
  else
    add_operand<float>(map, in, from, count, sums);
}

template <class Fold>
class RowFold : public TileKernel {
 public:
  explicit RowFold(const KernelContext& c)
      : map_(c.in(0).dims, c.out().dims, true), sums_(element_count(c.out().dims) / std::max<int64_t>(c.rows, 1)) {}
  size_t scratch_bytes() const override { return static_cast<size_t>(sums_) * sizeof(double); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    auto* sums = reinterpret_cast<double*>(tile.scratch);
    for (int64_t r = 0; r < tile.rows; ++r) {
      std::fill(sums, sums + sums_, Fold::kStart);
      add_operand(map_, in[0], r * in[0].row_elems, in[0].row_elems, sums);
      store(out[0], r * sums_, sums_, DType::f64, sums);
    }
  }

 private:
  FoldMap<Fold> map_;
  int64_t sums_;
};

template <class Fold>
class BatchFold : public ReductionKernel {
 public:
  explicit BatchFold(const KernelContext& c)
      : map_(c.in(0).dims, c.out().dims, false), sums_(element_count(c.out().dims)) {}
  size_t partial_bytes() const override { return padded(static_cast<size_t>(sums_) * sizeof(double)); }
  void run(const Tile&, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + sums_, Fold::kStart);
    add_operand(map_, in[0], 0, in[0].size(), sums);
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    std::vector<double> total(static_cast<size_t>(sums_), Fold::kStart);
    for (int64_t g = 0; g < groups; ++g) {
      const auto* sums = reinterpret_cast<const double*>(partials + static_cast<size_t>(g) * partial_bytes());
      for (size_t i = 0; i < total.size(); ++i) total[i] = Fold::join(total[i], sums[i]);
    }
    store(out, 0, sums_, DType::f64, total.data());
  }

 private:
  FoldMap<Fold> map_;
  int64_t sums_;
};

class GradientNorm : public WholeKernel {
 public:
  explicit GradientNorm(const KernelContext& c) {
    if (const NormAttr* attr = std::get_if<NormAttr>(&c.instr.attr)) factors_ = attr->factors;
    factors_.resize(c.instr.in.size(), 1.0);
  }
  void run(const WholeRun&, const Operand* in, const Operand* out) override {
    constexpr int64_t kPiece = 65536;
    double total = 0;
    for (size_t k = 0; k < factors_.size(); ++k) {
      const Operand& g = in[k];
      const int64_t pieces = (g.size() + kPiece - 1) / kPiece;
      std::vector<double> sums(static_cast<size_t>(pieces), 0.0);
      const auto piece = [&](int64_t p) {
        const int64_t count = std::min(kPiece, g.size() - p * kPiece);
        sums[static_cast<size_t>(p)] =
            g.dtype == DType::f64 ? squares<double>(g, p * kPiece, count) : squares<float>(g, p * kPiece, count);
      };
      if (pieces == 1)
        piece(0);
      else
        parallel_for(pieces, piece);
      double sum = 0;
      for (double s : sums) sum += s;
      total += factors_[k] * factors_[k] * sum;
    }
    const double norm = std::sqrt(total);
    store(out[0], 0, 1, DType::f64, &norm);
  }

 private:
  template <class T>
  static double squares(const Operand& g, int64_t from, int64_t count) {
    T buffer[kBlock];
    const Broadcast same;
    double sum = 0;
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t n = std::min(kBlock, count - i);
      const T* x = same.read(g, from + i, n, buffer);
      double lanes[8] = {};
      for (int64_t k = 0; k < n; ++k) lanes[k % 8] += static_cast<double>(x[k]) * static_cast<double>(x[k]);
      for (double lane : lanes) sum += lane;
    }
    return sum;
  }
  std::vector<double> factors_;
};

template <class Interface, class Made>
std::unique_ptr<Interface> with_info(const KernelContext& c) {
  auto kernel = std::make_unique<Made>(c);
  kernel->kernel_info = {c.in(0).dtype, DType::f64, DType::f64, implementation_name(c.simd)};
  return kernel;
}

template <class Interface, template <class> class Made>
std::unique_ptr<Interface> with_fold(const KernelContext& c) {
  if (c.instr.op == Op::sum_to) return with_info<Interface, Made<Sum>>(c);
  if (c.attr<ReduceAttr>().fn == ReduceFn::max) return with_info<Interface, Made<Largest>>(c);
  return with_info<Interface, Made<Smallest>>(c);
}

}  // namespace

Result<Kernel> make_fold(const KernelContext& c) {
  Kernel kernel;
  if (tile_rule(c.program, c.instr).tiling == Tiling::rows)
    kernel.tile = with_fold<TileKernel, RowFold>(c);
  else
    kernel.reduction = with_fold<ReductionKernel, BatchFold>(c);
  return kernel;
}
std::unique_ptr<WholeKernel> make_gradient_norm(const KernelContext& c) {
  return with_info<WholeKernel, GradientNorm>(c);
}

}  // namespace hw::cpu
