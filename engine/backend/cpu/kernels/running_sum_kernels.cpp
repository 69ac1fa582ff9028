// accumulate and average_update, in place, element by element: the same bits at any thread count.
#include <algorithm>
#include <type_traits>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/core/parallel.h"
#include "engine/kernels/loss_scale_state.h"

namespace hw::cpu {
namespace {

constexpr int64_t kSumPiece = 32768;  // elements one call of the pool takes

template <class F>
void for_pieces(int64_t size, const F& piece) {
  const int64_t pieces = (size + kSumPiece - 1) / kSumPiece;
  const auto call = [&](int64_t p) { piece(p * kSumPiece, std::min(kSumPiece, size - p * kSumPiece)); };
  if (pieces == 1)
    call(0);
  else
    parallel_for(pieces, call);
}

// Marks of touched blocks.
class MaskSum : public WholeKernel {
 public:
  explicit MaskSum(const KernelContext& c) {
    kernel_info = {DType::u8, DType::u8, DType::u8, implementation_name(c.simd)};
  }
  void run(const WholeRun& run, const Operand* in, const Operand*) override {
    auto* sum = in[0].as<uint8_t>();
    const auto* x = in[1].as<uint8_t>();
    const uint8_t keep = run.step.starts_sums ? 0 : 1;
    for (int64_t i = 0; i < in[0].size(); ++i) sum[i] = x[i] != 0 || (keep && sum[i] != 0);
  }
};

// T: the arithmetic's type, f64 where an operand is f64.
template <class T>
class RunningSum : public WholeKernel {
 public:
  explicit RunningSum(const KernelContext& c)
      : average_(c.instr.op == Op::average_update), guarded_(average_ && c.instr.in.size() == 3) {
    if (average_) decay_ = c.attr<ScaleAttr>().factor;
    kernel_info = {c.in(0).dtype, kDTypeOf<T>, kDTypeOf<T>, implementation_name(c.simd)};
  }

  void run(const WholeRun& run, const Operand* in, const Operand*) override {
    double t = static_cast<double>(run.step.update_index());
    if (guarded_) {
      const auto* state = in[2].as<double>();
      if (loss_scale_state::is_bad_step(state, in[2].size())) return;
      t = state[loss_scale_state::kUpdates];
    }
    const T keep = T(average_ ? std::min(decay_, (1 + t) / (10 + t)) : 1);
    const T take = average_ ? T(1 - std::min(decay_, (1 + t) / (10 + t))) : T(1);
    const bool fresh = !average_ && run.step.starts_sums;
    for_pieces(in[0].size(), [&](int64_t first, int64_t count) {
      T held[kBlock], added[kBlock];
      for (int64_t i = first; i < first + count; i += kBlock) {
        const int64_t n = std::min(kBlock, first + count - i);
        const T* x = same_.read(in[1], i, n, added);
        const T* old = same_.read(in[0], i, n, held);
        for (int64_t e = 0; e < n; ++e) held[e] = fresh ? x[e] : keep * old[e] + take * x[e];
        store(in[0], i, n, held);
      }
    });
  }

 private:
  static void store(const Operand& to, int64_t first, int64_t n, const T* values) {
    convert(to.dtype, to.data + static_cast<size_t>(first) * size_of(to.dtype), kDTypeOf<T>, values,
            static_cast<size_t>(n));
  }
  Broadcast same_;
  bool average_, guarded_;
  double decay_ = 0;
};

}  // namespace

std::unique_ptr<WholeKernel> make_running_sum(const KernelContext& c) {
  const DType sum = c.in(0).dtype, x = c.in(1).dtype;
  if (sum == DType::u8) return std::make_unique<MaskSum>(c);
  if (sum == DType::f64 || x == DType::f64) return std::make_unique<RunningSum<double>>(c);
  return std::make_unique<RunningSum<float>>(c);
}

}  // namespace hw::cpu
