// Elementwise ops on tiles: blocks of elements are read as f32 (f64), computed by the loops of simd.h, rounded once.
#include <cstring>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/kernels/draw.h"

namespace hw::cpu {
namespace {

// Loop: of ElementwiseLoops<T>, whose parameters are P.
template <class T, class P>
class Unary : public TileKernel {
 public:
  using Loop = void (*)(const T*, T*, int64_t, P, P);
  Unary(Loop loop, double p0, double p1) : loop_(loop), p0_(static_cast<P>(p0)), p1_(static_cast<P>(p1)) {}
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    T a[kBlock], y[kBlock];
    const int64_t size = out[0].size();
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      loop_(same_.read(in[0], i, n, a), write_target(out[0], i, y), n, p0_, p1_);
      write_back(out[0], i, n, y);
    }
  }

 private:
  Loop loop_;
  P p0_, p1_;
  Broadcast same_;
};

template <class T, class P>
class Binary : public TileKernel {
 public:
  using Loop = void (*)(const T*, const T*, T*, int64_t, P, P);
  Binary(const KernelContext& c, Loop loop, double p0, double p1)
      : loop_(loop),
        p0_(static_cast<P>(p0)),
        p1_(static_cast<P>(p1)),
        a_(c.in(0).dims, c.out().dims, c.by_row(0)),
        b_(c.in(1).dims, c.out().dims, c.by_row(1)) {}
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    T a[kBlock], b[kBlock], y[kBlock];
    const int64_t size = out[0].size();
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      loop_(a_.read(in[0], i, n, a), b_.read(in[1], i, n, b), write_target(out[0], i, y), n, p0_, p1_);
      write_back(out[0], i, n, y);
    }
  }

 private:
  Loop loop_;
  P p0_, p1_;
  Broadcast a_, b_;
};

template <class T>
class Ternary : public TileKernel {
 public:
  Ternary(const KernelContext& c, typename ElementwiseLoops<T>::Ternary loop) : loop_(loop) {
    for (size_t k = 0; k < 3; ++k) in_[k] = Broadcast(c.in(k).dims, c.out().dims, c.by_row(k));
  }
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    T a[kBlock], b[kBlock], d[kBlock], y[kBlock];
    const int64_t size = out[0].size();
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      loop_(in_[0].read(in[0], i, n, a), in_[1].read(in[1], i, n, b), in_[2].read(in[2], i, n, d),
            write_target(out[0], i, y), n);
      write_back(out[0], i, n, y);
    }
  }

 private:
  typename ElementwiseLoops<T>::Ternary loop_;
  Broadcast in_[3];
};

template <class T>
class Affine : public TileKernel {
 public:
  Affine(const AffineAttr& attr, const SimdTable& simd)
      : loop_(elementwise_loops_of<T>(simd).affine), channels_(static_cast<int64_t>(attr.scale.size())) {
    // Long enough for a block at any phase.
    for (int64_t i = 0; channels_ > 0 && i < kBlock + channels_; ++i) {
      scale_.push_back(static_cast<T>(attr.scale[static_cast<size_t>(i % channels_)]));
      offset_.push_back(static_cast<T>(attr.offset[static_cast<size_t>(i % channels_)]));
    }
  }
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    T a[kBlock], y[kBlock];
    const int64_t size = out[0].size();
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i), phase = i % channels_;
      loop_(same_.read(in[0], i, n, a), scale_.data() + phase, offset_.data() + phase, write_target(out[0], i, y), n);
      write_back(out[0], i, n, y);
    }
  }

 private:
  void (*loop_)(const T*, const T*, const T*, T*, int64_t);
  int64_t channels_;
  std::vector<T> scale_, offset_;
  Broadcast same_;
};

template <class T>
class Dropout : public TileKernel {
 public:
  Dropout(const DropoutAttr& attr, int64_t rows, const SimdTable& simd)
      : simd_(simd),
        random_(attr.random),
        rows_(rows),
        threshold_(kernels::keep_below(attr.p)),
        scale_(static_cast<T>(kernels::keep_factor(attr.p))) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    T a[kBlock], y[kBlock];
    const int64_t size = out[0].size();
    Draw draw = tile.draw(random_, rows_, out[0].row_elems);
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      const T* x = same_.read(in[0], i, n, a);
      T* target = write_target(out[0], i, y);
      if constexpr (sizeof(T) == 8)
        simd_.dropout_f64(x, target, n, draw, threshold_, scale_);
      else
        simd_.dropout(x, target, n, draw, threshold_, scale_);
      draw.first += static_cast<uint64_t>(n);
      write_back(out[0], i, n, y);
    }
  }

 private:
  const SimdTable& simd_;
  RandomStream random_;
  int64_t rows_;
  uint32_t threshold_;
  T scale_;
  Broadcast same_;
};

template <class T>
std::unique_ptr<TileKernel> make(const KernelContext& c) {
  const ElementwiseLoops<T>& l = elementwise_loops_of<T>(c.simd);
  using Made = std::unique_ptr<TileKernel>;
  const auto unary = [](typename ElementwiseLoops<T>::Unary loop, double p0 = 0, double p1 = 0) -> Made {
    return std::make_unique<Unary<T, T>>(loop, p0, p1);
  };
  const auto binary = [&](typename ElementwiseLoops<T>::Binary loop, double p0 = 0, double p1 = 0) -> Made {
    return std::make_unique<Binary<T, T>>(c, loop, p0, p1);
  };
  switch (c.instr.op) {
    case Op::add:
      return binary(l.add);
    case Op::sub:
      return binary(l.sub);
    case Op::mul:
      return binary(l.mul);
    case Op::relu_grad:
      return binary(l.relu_grad);
    case Op::sigmoid_grad:
      return binary(l.sigmoid_grad);
    case Op::clamp_grad:
      return binary(l.clamp_grad, c.attr<ClampAttr>().lo, c.attr<ClampAttr>().hi);
    case Op::clamp:
      return unary(l.clamp, c.attr<ClampAttr>().lo, c.attr<ClampAttr>().hi);
    case Op::scale:
      return unary(l.scale, c.attr<ScaleAttr>().factor);
    case Op::relu:
      return unary(l.relu);
    case Op::sigmoid:
      return unary(l.sigmoid);
    case Op::unary: {
      const UnaryAttr& attr = c.attr<UnaryAttr>();
      return std::make_unique<Unary<T, double>>(l.unary[static_cast<size_t>(attr.fn)], attr.a, attr.b);
    }
    case Op::unary_grad: {
      const UnaryAttr& attr = c.attr<UnaryAttr>();
      return std::make_unique<Binary<T, double>>(c, l.unary_grad[static_cast<size_t>(attr.fn)], attr.a, attr.b);
    }
    case Op::binary:
      return binary(l.binary[static_cast<size_t>(c.attr<BinaryAttr>().fn)]);
    case Op::binary_grad: {
      const BinaryAttr& attr = c.attr<BinaryAttr>();
      return std::make_unique<Ternary<T>>(c, l.binary_grad[attr.wrt][static_cast<size_t>(attr.fn)]);
    }
    case Op::compare:
      return binary(l.compare[static_cast<size_t>(c.attr<CompareAttr>().fn)]);
    case Op::where:
      return std::make_unique<Ternary<T>>(c, l.where);
    case Op::affine:
      return std::make_unique<Affine<T>>(c.attr<AffineAttr>(), c.simd);
    case Op::dropout:
      if (c.attr<DropoutAttr>().p == 0) return unary(l.scale, 1);  // nothing is drawn that could drop an element
      return std::make_unique<Dropout<T>>(c.attr<DropoutAttr>(), c.rows, c.simd);
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<TileKernel> make_elementwise(const KernelContext& c) {
  // Whole numbers are compared as f64: exact below 2^53.
  const DType dtype = c.instr.op == Op::compare ? c.in(0).dtype : c.out().dtype;
  const bool wide = dtype == DType::f64 || dtype == DType::i64 || dtype == DType::i32;
  std::unique_ptr<TileKernel> kernel = wide ? make<double>(c) : make<float>(c);
  const DType compute = wide ? DType::f64 : DType::f32;
  if (kernel) kernel->kernel_info = {c.out().dtype, compute, compute, implementation_name(c.simd)};
  return kernel;
}

}  // namespace hw::cpu
