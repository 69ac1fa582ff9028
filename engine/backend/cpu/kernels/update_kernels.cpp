// The optimisers' updates, in place. With a touched mask only touched blocks of 16 elements are read or written.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/core/finite_limit.h"
#include "engine/core/parallel.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/program/updates.h"

namespace hw::cpu {
namespace {

constexpr int64_t kUpdatePiece = 32768;  // elements one call of the pool takes
constexpr int64_t kTouchBlock = 16;

// Elements [first, first + n) of an operand as T while they are updated; written back when the dtype differs.
template <class T>
class Window {
 public:
  Window(const Operand& x, int64_t first, int64_t n, T* buffer) : x_(x), first_(first), n_(n), buffer_(buffer) {
    data_ = const_cast<T*>(same_.read(x, first, n, buffer));
  }
  T* data() const { return data_; }
  void store() const { write_back(x_, first_, n_, buffer_); }

 private:
  Broadcast same_;
  const Operand& x_;
  int64_t first_, n_;
  T *buffer_, *data_;
};

void copy_to_view(const Operand& view, const Operand& master, int64_t first, int64_t n) {
  if (view.data == master.data) return;
  const auto at = static_cast<size_t>(first);
  convert(view.dtype, view.data + at * size_of(view.dtype), master.dtype, master.data + at * size_of(master.dtype),
          static_cast<size_t>(n));
}

// Operands: see UpdateInputs.
template <class T, class Body>
class Update : public WholeKernel {
  using Loop = ElementwiseLoops<T>::template Update<Body>;
  static constexpr bool kTwo = kernels::kHasSecondMoment<Body, T>;
  static constexpr bool kCounts = std::is_same_v<Body, kernels::Adam<T>>;

 public:
  Update(const KernelContext& c, Loop loop)
      : attr_(c.attr<UpdateAttr>()), loop_(loop), counted_adam_(loops_of(c).counted_adam) {
    const UpdateInputs places = update_inputs(c.instr);
    grad_ = places.grad;
    counted_ = places.counted;
    per_element_ = places.per_element;
    updates_ = places.updates();
    if (per_element_) corrections_ = kernels::bias_correction_table<T>(attr_.beta1, attr_.beta2);
    limits_ = {std::min(finite_limit<T>(c.in(0).dtype), finite_limit<T>(c.in(1).dtype)), finite_limit<T>(c.in(2).dtype),
               kTwo ? finite_limit<T>(c.in(3).dtype) : T(0)};
    touched_adam_ = c.simd.touched_adam;
    in_one_pass_ = sizeof(T) == sizeof(float) && per_element_ && touched_adam_ && c.in(0).dtype != DType::f64 &&
                   info(c.in(0).dtype).bits > 8;
    for (size_t k : {size_t{1}, size_t{2}, size_t{3}, grad_})
      in_one_pass_ = in_one_pass_ && c.in(k).dtype == DType::f32;
    kernel_info = {c.in(0).dtype, kDTypeOf<T>, kDTypeOf<T>, implementation_name(c.simd)};
  }

  static const ElementwiseLoops<T>& loops_of(const KernelContext& c) {
    if constexpr (sizeof(T) == 8)
      return c.simd.f64;
    else
      return c.simd.f32;
  }

  void run(const WholeRun& run, const Operand* in, const Operand*) override {
    const int64_t bad = update(run.step, in);
    if (counted_) *in[grad_ - 1].as<double>() = static_cast<double>(bad);
  }

 private:
  // Returns how many of the elements written are Inf or NaN.
  int64_t update(const StepInputs& step, const Operand* in) {
    double unscale = 1, t = static_cast<double>(step.update_index()) + 1;
    const size_t norm_at = grad_ + (attr_.has_touched ? 2 : 1), state_at = norm_at + (attr_.clip_norm > 0 ? 1 : 0);
    if (attr_.guarded) {
      const auto* state = in[state_at].as<double>();
      const int64_t size = in[state_at].size();
      if (loss_scale_state::is_bad_step(state, size)) {
        leave_out(in);
        return 0;
      }
      unscale = 1 / state[loss_scale_state::kScale];
      t = state[loss_scale_state::kUpdates] + 1;
    }
    t -= attr_.begun;
    double scale = attr_.unscale * unscale;
    if (attr_.clip_norm > 0) {
      double norm = 0;
      convert(DType::f64, &norm, in[norm_at].dtype, in[norm_at].data, 1);
      scale *= std::min(1.0, attr_.clip_norm / (norm * unscale + 1e-6));
    }
    body_ =
        Body::of({scale, step.learning_rate * attr_.rate_scale, attr_.weight_decay, attr_.decoupled, attr_.nesterov,
                  attr_.beta1, attr_.beta2, attr_.epsilon, per_element_ ? std::numeric_limits<double>::infinity() : t});
    const int64_t size = in[0].size(), pieces = (size + kUpdatePiece - 1) / kUpdatePiece;
    std::atomic<int64_t> bad = 0;
    const auto piece = [&](int64_t p) {
      const int64_t here = update_piece(in, p * kUpdatePiece, std::min(kUpdatePiece, size - p * kUpdatePiece));
      if (here > 0) bad += here;
    };
    if (pieces == 1)
      piece(0);
    else
      parallel_for(pieces, piece);
    return bad;
  }

  // A bad step: nothing is updated, but the gradient is given back as it is after an update.
  void leave_out(const Operand* in) const {
    if (!clears_gradient) return;
    const Operand &grad = in[grad_], &touched = in[grad_ + 1];
    std::memset(grad.data, 0, byte_count(grad.dtype, grad.size()));
    std::memset(touched.data, 0, static_cast<size_t>(touched.size()));
  }

  int64_t update_piece(const Operand* in, int64_t first, int64_t n) const {
    if (!attr_.has_touched) return update_range(in, first, n);
    auto* touched = in[grad_ + 1].as<uint8_t>();
    const int64_t end = first + n;
    int64_t bad = 0;
    if (in_one_pass_) {  // all but a last block that is cut short
      const int64_t blocks = n / kTouchBlock;
      bad += run_touched(in, first, blocks);
      first += blocks * kTouchBlock;
    }
    for (int64_t i = first; i < end;) {  // first is a multiple of the block size
      if (!touched[i / kTouchBlock]) {
        i += kTouchBlock;
        continue;
      }
      int64_t stop = i + kTouchBlock;
      while (stop < end && touched[stop / kTouchBlock]) stop += kTouchBlock;
      stop = std::min(stop, end);
      bad += update_range(in, i, stop - i);
      if (clears_gradient) {
        const auto bytes = static_cast<int64_t>(size_of(in[grad_].dtype));
        std::memset(in[grad_].data + i * bytes, 0, static_cast<size_t>((stop - i) * bytes));
        std::fill(touched + i / kTouchBlock, touched + (stop + kTouchBlock - 1) / kTouchBlock, uint8_t{0});
      }
      i = stop;
    }
    return bad;
  }

  int64_t run_touched(const Operand* in, int64_t first, int64_t blocks) const {
    if constexpr (kCounts && sizeof(T) == sizeof(float)) {
      const Operand& view = in[0];
      const bool apart = view.data != in[1].data;
      const TouchedAdam a{in[grad_].as<float>() + first,
                          in[1].as<float>() + first,
                          in[2].as<float>() + first,
                          in[3].as<float>() + first,
                          updates(in, first),
                          apart ? view.data + static_cast<size_t>(first) * size_of(view.dtype) : nullptr,
                          view.dtype == DType::f16    ? TableFormat::f16
                          : view.dtype == DType::bf16 ? TableFormat::bf16
                                                      : TableFormat::f32,
                          in[grad_ + 1].as<uint8_t>() + first / kTouchBlock,
                          clears_gradient};
      return touched_adam_(counted_step(), limits_, a, blocks);
    }
    return 0;
  }

  int64_t update_range(const Operand* in, int64_t first, int64_t count) const {
    int64_t bad = 0;
    T b1[kBlock], b2[kBlock], b3[kBlock], b4[kBlock];
    for (int64_t i = first; i < first + count; i += kBlock) {
      const int64_t n = std::min(kBlock, first + count - i);
      const Window<T> master(in[1], i, n, b1), moment(in[2], i, n, b2), grad(in[grad_], i, n, b4);
      std::optional<Window<T>> second;
      if constexpr (kTwo) second.emplace(in[3], i, n, b3);
      T* v = second ? second->data() : nullptr;
      if (per_element_)
        bad += count_updates(in, i, n, grad.data(), master.data(), moment.data(), v);
      else
        bad += loop_(body_, limits_, grad.data(), master.data(), moment.data(), v, n, attr_.has_touched);
      if (second) second->store();
      master.store();
      moment.store();
      copy_to_view(in[0], in[1], i, n);
    }
    return bad;
  }

  int64_t count_updates(const Operand* in, int64_t first, int64_t n, const T* grad, T* master, T* m, T* v) const {
    if constexpr (kCounts) return counted_adam_(counted_step(), limits_, grad, master, m, v, updates(in, first), n);
    return 0;
  }

  uint16_t* updates(const Operand* in, int64_t first) const { return in[updates_].as<uint16_t>() + first; }
  kernels::CountedAdam<T> counted_step() const {
    return {body_, corrections_.data(), static_cast<uint32_t>(corrections_.size() - 1)};
  }

  UpdateAttr attr_;
  Loop loop_;
  decltype(ElementwiseLoops<T>::counted_adam) counted_adam_;
  size_t grad_, updates_;
  bool counted_, per_element_;
  std::vector<kernels::BiasCorrection<T>> corrections_;  // per_element_
  bool in_one_pass_ = false;                             // by touched_adam
  decltype(SimdTable::touched_adam) touched_adam_ = nullptr;
  Body body_{};
  kernels::UpdateLimits<T> limits_{};
};

template <class T>
std::unique_ptr<WholeKernel> make_update_in(const KernelContext& c, const ElementwiseLoops<T>& loops) {
  switch (c.instr.op) {
#define HW_UPDATE(name, Body, moments, counts, ...)                                    \
  case Op::name##_update:                                                              \
    static_assert(kernels::kHasSecondMoment<kernels::Body<T>, T> == ((moments) == 2)); \
    static_assert(std::is_same_v<kernels::Body<T>, kernels::Adam<T>> == (counts));     \
    return std::make_unique<Update<T, kernels::Body<T>>>(c, loops.name##_update);
#include "engine/program/optimisers.def"
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<WholeKernel> make_update(const KernelContext& c) {
  if (c.in(1).dtype == DType::f64) return make_update_in<double>(c, c.simd.f64);
  return make_update_in<float>(c, c.simd.f32);
}

}  // namespace hw::cpu
