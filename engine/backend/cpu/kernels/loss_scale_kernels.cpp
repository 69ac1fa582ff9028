// check_finite and loss_scale_update, in place on the loss scale's state (LossScaleAttr).
#include <algorithm>
#include <atomic>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/core/parallel.h"
#include "engine/kernels/loss_scale_state.h"

namespace hw::cpu {
namespace {

constexpr int64_t kPiece = 65536;  // elements one call of the pool takes

template <class T>
int64_t count_bad(const Operand& x, int64_t first, int64_t count) {
  T buffer[kBlock];
  const Broadcast same;
  int64_t bad = 0;
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    const T* v = same.read(x, first + i, n, buffer);
    // x − x is 0 where x is finite, else NaN.
    int64_t block = 0;
    for (int64_t k = 0; k < n; ++k) block += v[k] - v[k] == T(0) ? 0 : 1;
    bad += block;
  }
  return bad;
}

class CheckFinite : public WholeKernel {
 public:
  explicit CheckFinite(const KernelContext& c) : gradients_(c.instr.in.size() - 1) {
    kernel_info = {DType::f64, DType::f64, DType::f64, implementation_name(c.simd)};
  }
  void run(const WholeRun&, const Operand* in, const Operand*) override {
    for (size_t k = 0; k < gradients_; ++k) {
      const Operand& x = in[k + 1];
      const int64_t size = x.size(), pieces = (size + kPiece - 1) / kPiece;
      std::atomic<int64_t> bad{0};
      const auto piece = [&](int64_t p) {
        const int64_t first = p * kPiece, count = std::min(kPiece, size - first);
        bad += x.dtype == DType::f64 ? count_bad<double>(x, first, count) : count_bad<float>(x, first, count);
      };
      if (pieces == 1)
        piece(0);
      else
        parallel_for(pieces, piece);
      in[0].as<double>()[loss_scale_state::kBadCounts + k] = static_cast<double>(bad.load());
    }
  }

 private:
  size_t gradients_;
};

class LossScaleUpdate : public WholeKernel {
 public:
  explicit LossScaleUpdate(const KernelContext& c) : attr_(c.attr<LossScaleAttr>()) {
    kernel_info = {DType::f64, DType::f64, DType::f64, implementation_name(c.simd)};
  }
  void run(const WholeRun&, const Operand* in, const Operand*) override {
    loss_scale_state::advance(in[0].as<double>(), in[0].size(), attr_);
  }

 private:
  LossScaleAttr attr_;
};

}  // namespace

std::unique_ptr<WholeKernel> make_loss_scale(const KernelContext& c) {
  if (c.instr.op == Op::check_finite) return std::make_unique<CheckFinite>(c);
  return std::make_unique<LossScaleUpdate>(c);
}

}  // namespace hw::cpu
