// Element by element: arithmetic, the function tables, comparisons, casts, dropout and random numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/backend/gpu/ops/drawn.h"
#include "engine/backend/gpu/ops/map.h"
#include "engine/kernels/binary.h"
#include "engine/kernels/draw.h"
#include "engine/kernels/random.h"
#include "engine/kernels/stochastic_round.h"
#include "engine/kernels/unary.h"

namespace hw::gpu {

using kernels::Source;
using kernels::StridedIndex;
using kernels::Target;

/// OP of the kernel Arithmetic is a place here.
inline constexpr Op kArithmetic[] = {Op::add,        Op::sub,  Op::mul,       Op::scale,   Op::clamp,
                                     Op::clamp_grad, Op::relu, Op::relu_grad, Op::sigmoid, Op::sigmoid_grad};

template <class T>
struct Arithmetic {
  Op op;
  Source a, b;  // one input: b is a
  StridedIndex at_a, at_b;
  Target y;
  T p0, p1;  // scale's factor; clamp's lo and hi

  HW_BODY void operator()(int64_t i) const { y.put(i, value(a.at<T>(at_a(i)), b.at<T>(at_b(i)))); }
  HW_BODY T value(T u, T v) const {
    switch (op) {
      case Op::add:
        return u + v;
      case Op::sub:
        return u - v;
      case Op::mul:
        return u * v;
      case Op::scale:
        return u * p0;
      case Op::clamp:
        return kernels::clamp(u, p0, p1);
      case Op::clamp_grad:
        return kernels::clamp_grad(u, v, p0, p1);
      case Op::relu:
        return kernels::relu(u);
      case Op::relu_grad:
        return kernels::relu_grad(u, v);
      case Op::sigmoid:
        return kernels::sigmoid(u);
      default:
        return kernels::sigmoid_grad(u, v);
    }
  }

  HW_REAL_KERNEL(T, Arithmetic, std::ranges::find(kArithmetic, op) - kArithmetic, a.dtype, b.dtype, y.dtype, at_a.axes,
                 at_b.axes)
};

template <class Launcher>
void plan_arithmetic(OpContext& c) {
  const size_t second = c.inputs() - 1;
  double p0 = 0, p1 = 0;
  if (const auto* s = std::get_if<ScaleAttr>(&c.any_attr())) p0 = s->factor;
  if (const auto* k = std::get_if<ClampAttr>(&c.any_attr())) p0 = k->lo, p1 = k->hi;
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    map<Launcher>(c, c.out_size(),
                  Arithmetic<T>{c.op(), c.read(0), c.read(second), broadcast(c, 0), broadcast(c, second), c.write(),
                                static_cast<T>(p0), static_cast<T>(p1)});
  });
}

template <class T>
struct Affine {
  Source x;
  Target y;
  const double *scale, *offset;
  int64_t channels;
  HW_BODY void operator()(int64_t i) const {
    const int64_t k = i % channels;
    y.put(i, kernels::affine(x.at<T>(i), static_cast<T>(scale[k]), static_cast<T>(offset[k])));
  }

  HW_REAL_KERNEL(T, Affine, x.dtype, y.dtype)
};

template <class Launcher>
void plan_affine(OpContext& c) {
  const AffineAttr& a = c.attr<AffineAttr>();
  const double *scale = c.constant(a.scale), *offset = c.constant(a.offset);
  with_real(c.compute(), [&](auto real) {
    map<Launcher>(c, c.out_size(),
                  Affine<decltype(real)>{c.read(0), c.write(), scale, offset, static_cast<int64_t>(a.scale.size())});
  });
}

template <class T>
struct Unary {
  UnaryFn fn;
  Source x;
  Target y;
  double a, b;
  HW_BODY void operator()(int64_t i) const { y.put(i, value(x.at<T>(i))); }
  HW_BODY T value(T v) const {
    switch (fn) {
#define HW_UNARY(name, formula, p, q) \
  case UnaryFn::name:                 \
    return kernels::unary::name(v, a, b);
#include "engine/program/unary.def"
#undef HW_UNARY
    }
    return v;
  }

  HW_REAL_KERNEL(T, Unary, fn, x.dtype, y.dtype)
};

template <class T>
struct UnaryGrad {
  UnaryFn fn;
  Source g, x;
  Target y;
  double a, b;
  HW_BODY void operator()(int64_t i) const { y.put(i, value(g.at<T>(i), x.at<T>(i))); }
  HW_BODY T value(T u, T v) const {
    switch (fn) {
#define HW_UNARY(name, formula, p, q) \
  case UnaryFn::name:                 \
    return kernels::unary_grad::name(u, v, a, b);
#include "engine/program/unary.def"
#undef HW_UNARY
    }
    return v;
  }

  HW_REAL_KERNEL(T, UnaryGrad, fn, g.dtype, x.dtype, y.dtype)
};

template <class Launcher>
void plan_unary(OpContext& c) {
  const UnaryAttr& f = c.attr<UnaryAttr>();
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    if (c.op() == Op::unary)
      map<Launcher>(c, c.out_size(), Unary<T>{f.fn, c.read(0), c.write(), f.a, f.b});
    else
      map<Launcher>(c, c.out_size(), UnaryGrad<T>{f.fn, c.read(0), c.read(1), c.write(), f.a, f.b});
  });
}

template <class T>
struct Binary {
  BinaryFn fn;
  Source a, b;
  StridedIndex at_a, at_b;
  Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, value(a.at<T>(at_a(i)), b.at<T>(at_b(i)))); }
  HW_BODY T value(T u, T v) const {
    switch (fn) {
#define HW_BINARY(name, formula) \
  case BinaryFn::name:           \
    return kernels::binary::name(u, v);
#include "engine/program/binary.def"
#undef HW_BINARY
    }
    return u;
  }

  HW_REAL_KERNEL(T, Binary, fn, a.dtype, b.dtype, y.dtype, at_a.axes, at_b.axes)
};

template <class T>
struct BinaryGrad {
  BinaryFn fn;
  bool by_b;
  Source g, a, b;
  StridedIndex at_a, at_b;
  Target y;
  HW_BODY void operator()(int64_t i) const { y.put(i, value(g.at<T>(i), a.at<T>(at_a(i)), b.at<T>(at_b(i)))); }
  HW_BODY T value(T w, T u, T v) const {
    switch (fn) {
#define HW_BINARY(name, formula) \
  case BinaryFn::name:           \
    return by_b ? kernels::binary_grad_b::name(w, u, v) : kernels::binary_grad_a::name(w, u, v);
#include "engine/program/binary.def"
#undef HW_BINARY
    }
    return w;
  }

  HW_REAL_KERNEL(T, BinaryGrad, fn, by_b, g.dtype, a.dtype, b.dtype, y.dtype, at_a.axes, at_b.axes)
};

template <class Launcher>
void plan_binary(OpContext& c) {
  const BinaryAttr& f = c.attr<BinaryAttr>();
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    if (c.op() == Op::binary)
      map<Launcher>(c, c.out_size(),
                    Binary<T>{f.fn, c.read(0), c.read(1), broadcast(c, 0), broadcast(c, 1), c.write()});
    else
      map<Launcher>(c, c.out_size(),
                    BinaryGrad<T>{f.fn, f.wrt == 1, c.read(0), c.read(1), c.read(2), broadcast(c, 1), broadcast(c, 2),
                                  c.write()});
  });
}

struct Compare {
  CompareFn fn;
  Source a, b;
  StridedIndex at_a, at_b;
  uint8_t* y;
  HW_BODY void operator()(int64_t i) const { y[i] = holds(a.at<double>(at_a(i)), b.at<double>(at_b(i))) ? 1 : 0; }
  HW_BODY bool holds(double u, double v) const {
    switch (fn) {
#define HW_COMPARE(name, symbol) \
  case CompareFn::name:          \
    return u symbol v;
#include "engine/program/binary.def"
#undef HW_COMPARE
    }
    return false;
  }

  HW_KERNEL(Compare, fn, a.dtype, b.dtype, at_a.axes, at_b.axes)
};

/// Bytes of a choice, as they are.
struct Where {
  const uint8_t* condition;
  Source a, b;
  StridedIndex at_condition, at_a, at_b;
  Target y;
  HW_BODY void operator()(int64_t i) const {
    const bool first = condition[at_condition(i)] != 0;
    dispatch(y.dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      const auto *u = static_cast<const Raw*>(a.data), *v = static_cast<const Raw*>(b.data);
      static_cast<Raw*>(y.data)[i] = first ? u[at_a(i)] : v[at_b(i)];
    });
  }

  HW_KERNEL(Where, y.dtype, at_condition.axes, at_a.axes, at_b.axes)
};

template <class Launcher>
void plan_compare(OpContext& c) {
  if (c.op() == Op::compare)
    return map<Launcher>(c, c.out_size(),
                         Compare{c.attr<CompareAttr>().fn, c.read(0), c.read(1), broadcast(c, 0), broadcast(c, 1),
                                 static_cast<uint8_t*>(c.write().data)});
  map<Launcher>(c, c.out_size(),
                Where{static_cast<const uint8_t*>(c.read(0).data), c.read(1), c.read(2), broadcast(c, 0),
                      broadcast(c, 1), broadcast(c, 2), c.write()});
}

/// To nearest, from and to any dtype.
struct Cast {
  Source x;
  Target y;
  bool saturate;
  HW_BODY void operator()(int64_t i) const {
    double real = 0;
    int64_t whole = 0;
    const bool is_whole = dispatch(x.dtype, [&](auto stored) {
      const auto number = convert_bodies::load(stored, static_cast<const typename decltype(stored)::Raw*>(x.data)[i]);
      real = static_cast<double>(number);
      if constexpr (std::is_same_v<decltype(number), const int64_t>) whole = number;
      return std::is_same_v<decltype(number), const int64_t>;
    });
    dispatch(y.dtype, [&](auto stored) {
      auto& to = static_cast<typename decltype(stored)::Raw*>(y.data)[i];
      to = is_whole ? convert_bodies::store(stored, whole, saturate) : convert_bodies::store(stored, real, saturate);
    });
  }

  HW_KERNEL(Cast, x.dtype, y.dtype, saturate)
};

struct StochasticCast {
  Source x;
  Target y;
  bool saturate;
  kernels::RoundingFormat format;
  Drawn drawn;
  HW_BODY void operator()(int64_t block) const {
    drawn.each_of(block, [&](int64_t i, uint32_t word) {
      const double value = kernels::stochastic_round(x.at<double>(i), format, kernels::unit_of<double>(word));
      dispatch(y.dtype, [&](auto stored) {
        static_cast<typename decltype(stored)::Raw*>(y.data)[i] = convert_bodies::store(stored, value, saturate);
      });
    });
  }

  HW_KERNEL(StochasticCast, x.dtype, y.dtype, saturate)
};

template <class Launcher>
void plan_cast(OpContext& c) {
  const int64_t size = c.out_size();
  const auto copy = [&] { c.copy(c.write().data, c.read(0).data, byte_count(c.out().dtype, size)); };
  if (c.op() != Op::cast) return copy();
  const CastAttr& attr = c.attr<CastAttr>();
  if (c.in(0).dtype == c.out().dtype && !attr.stochastic && !attr.saturate) return copy();
  if (!attr.stochastic || attr.dtype == DType::f64)  // every float is an f64
    return map<Launcher>(c, size, Cast{c.read(0), c.write(), attr.saturate});
  const DTypeInfo& row = hw::info(attr.dtype);
  const Drawn drawn = make_drawn(c, attr.random, size);
  map<Launcher>(
      c, drawn.blocks(),
      StochasticCast{c.read(0), c.write(), attr.saturate, {row.mantissa_bits, std::ilogb(row.min_normal)}, drawn});
}

template <class T>
struct Dropout {
  Source x;
  Target y;
  uint32_t below;
  T factor;
  Drawn drawn;
  HW_BODY void operator()(int64_t block) const {
    drawn.each_of(block,
                  [&](int64_t i, uint32_t word) { y.put(i, kernels::dropout(x.at<T>(i), word, below, factor)); });
  }

  HW_REAL_KERNEL(T, Dropout, x.dtype, y.dtype)
};

template <class T>
struct Uniform {
  Target y;
  T begin, span;
  Drawn drawn;
  HW_BODY void operator()(int64_t block) const {
    drawn.each_of(block, [&](int64_t i, uint32_t word) { y.put(i, kernels::uniform_between(word, begin, span)); });
  }

  HW_REAL_KERNEL(T, Uniform, y.dtype)
};

template <class T>
struct Normal {
  Target y;
  T mean, deviation;
  Drawn drawn;
  HW_BODY void operator()(int64_t block) const {
    drawn.each_pair_of(block, [&](int64_t i, bool has_even, bool has_odd, uint32_t first, uint32_t second) {
      T even, odd;
      kernels::normal_pair(first, second, even, odd);
      if (has_even) y.put(i, mean + deviation * even);
      if (has_odd) y.put(i + 1, mean + deviation * odd);
    });
  }

  HW_REAL_KERNEL(T, Normal, y.dtype)
};

template <class Launcher>
void plan_random(OpContext& c) {
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    if (c.op() == Op::dropout) {
      const DropoutAttr& a = c.attr<DropoutAttr>();
      const Drawn drawn = make_drawn(c, a.random, c.out_size());
      return map<Launcher>(
          c, drawn.blocks(),
          Dropout<T>{c.read(0), c.write(), kernels::keep_below(a.p), static_cast<T>(kernels::keep_factor(a.p)), drawn});
    }
    const RandomAttr& a = c.attr<RandomAttr>();
    const Drawn drawn = make_drawn(c, a.random, c.out_size());
    if (a.distribution == RandomAttr::Distribution::normal)
      map<Launcher>(c, drawn.blocks(), Normal<T>{c.write(), static_cast<T>(a.a), static_cast<T>(a.b), drawn});
    else
      map<Launcher>(c, drawn.blocks(), Uniform<T>{c.write(), static_cast<T>(a.a), static_cast<T>(a.b - a.a), drawn});
  });
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_POINTWISE_PLANNERS(Launcher)                \
  template void plan_arithmetic<Launcher>(OpContext&); \
  template void plan_affine<Launcher>(OpContext&);     \
  template void plan_unary<Launcher>(OpContext&);      \
  template void plan_binary<Launcher>(OpContext&);     \
  template void plan_compare<Launcher>(OpContext&);    \
  template void plan_cast<Launcher>(OpContext&);       \
  template void plan_random<Launcher>(OpContext&);
