// The vectorised loops of the cpu device, one table per instruction set. All tables give the same bits.
#pragma once

#include <cstdint>

#include "engine/core/cpu_features.h"
#include "engine/kernels/optimisers.h"
#include "engine/program/program.h"

namespace hw::cpu {

inline constexpr size_t kUnaryCount = 0
#define HW_UNARY(name, formula, a, b) +1
#include "engine/program/unary.def"
#undef HW_UNARY
    ;
inline constexpr size_t kBinaryCount = 0
#define HW_BINARY(name, formula) +1
#include "engine/program/binary.def"
#undef HW_BINARY
    ;
inline constexpr size_t kCompareCount = 0
#define HW_COMPARE(name, symbol) +1
#include "engine/program/binary.def"
#undef HW_COMPARE
    ;

/// Elementwise loops for T = float or double over n elements. `out` may be one of the inputs, else no overlap.
template <class T>
struct ElementwiseLoops {
  using Unary = void (*)(const T* x, T* out, int64_t n, T p0, T p1);
  using Binary = void (*)(const T* a, const T* b, T* out, int64_t n, T p0, T p1);
  Binary add, sub, mul;
  Binary relu_grad, sigmoid_grad;  // (g, y)
  Binary clamp_grad;               // (g, x); p0 = lo, p1 = hi
  Unary scale;                     // p0 = factor
  Unary clamp;                     // p0 = lo, p1 = hi
  Unary relu, sigmoid;
  using Ternary = void (*)(const T* a, const T* b, const T* c, T* out, int64_t n);
  using Function = void (*)(const T* x, T* out, int64_t n, double a, double b);
  using FunctionGrad = void (*)(const T* g, const T* x, T* out, int64_t n, double a, double b);
  Function unary[kUnaryCount];           // by UnaryFn
  FunctionGrad unary_grad[kUnaryCount];  // (g, x)
  Binary binary[kBinaryCount];           // by BinaryFn
  Ternary binary_grad[2][kBinaryCount];  // by a, by b: (g, a, b)
  Binary compare[kCompareCount];         // by CompareFn: 1 or 0
  Ternary where;                         // (c, a, b): a where c is not 0
  void (*affine)(const T* x, const T* scale, const T* offset, T* out, int64_t n);
  /// In place. Return how many of the elements written exceed the limits; n < 2^31. Where elements count their updates,
  /// or with skip_zero, those whose gradient is 0 are left alone. v: null where the body has no second moment.
  template <class Body>
  using Update = int64_t (*)(const Body& step, const kernels::UpdateLimits<T>& limits, const T* grad, T* master, T* m,
                             T* v, int64_t n, bool skip_zero);
#define HW_UPDATE(name, Body, ...) Update<kernels::Body<T>> name##_update;
#include "engine/program/optimisers.def"
  int64_t (*counted_adam)(const kernels::CountedAdam<T>& step, const kernels::UpdateLimits<T>& limits, const T* grad,
                          T* master, T* m, T* v, uint16_t* updates, int64_t n);
};

/// Pooling of n channels that lie side by side, as those of a pixel do channels last. Row r of a window is `columns`
/// pixels behind each other, at x[r] and at dx[r]. Buffers do not overlap.
template <class T>
struct PoolLoops {
  /// The maximum of a window, or its first NaN.
  void (*max)(const T* const* x, T* best, int64_t rows, int64_t columns, int64_t n);
  /// To the first maximum, or the first NaN, goes g: added to dx.
  void (*max_grad)(const T* const* x, T* const* dx, const T* g, int64_t rows, int64_t columns, int64_t n);
  void (*divide)(T* x, T by, int64_t n);  // in place
};

/// bf16 in memory.
struct Bf16 {
  uint16_t bits;
};

/// By channel: (x - mean) * factor before the gradient, and what comes to each element through the statistics.
template <class T>
struct NormGrad {
  const T *mean, *factor, *through_mean, *through_variance;
};

/// Batch normalisation of pixels behind each other, of n channels each; S is T or Bf16. Buffers do not overlap.
template <class T, class S = T>
struct NormLoops {
  /// Pixel i is added to lane i % 8: n sums at lanes + i % 8 * n.
  void (*sum)(const S* x, double* lanes, int64_t pixels, int64_t n);
  void (*squares)(const S* x, const double* mean, double* lanes, int64_t pixels, int64_t n);  // of x - mean
  /// g * (x - mean) and g.
  void (*grad_sums)(const S* g, const S* x, const double* mean, double* products, double* gradients, int64_t pixels,
                    int64_t n);
  void (*normalise)(const S* x, const T* mean, const T* factor, const T* offset, T* y, int64_t pixels, int64_t n);
  void (*scale)(const S* g, const T* factor, T* dx, int64_t pixels, int64_t n);
  /// factor * (g - through_mean - (x - mean) * through_variance)
  void (*normalise_grad)(const S* g, const S* x, const NormGrad<T>& norm, T* dx, int64_t pixels, int64_t n);
};

/// How the elements of a hash-grid table, or of its view, are stored.
enum class TableFormat : uint8_t { f32, f16, bf16 };
/// 32-bit words of an entry, which is a pair of features.
constexpr int64_t words_a_pair(TableFormat format) {
  return format == TableFormat::f32 ? 2 : 1;
}

/// Where the first block of 16 elements lies, for touched_adam.
struct TouchedAdam {
  float *grad, *master, *m, *v;
  uint16_t* updates;
  void* view;  // null: the master is the view
  TableFormat format;
  uint8_t* touched;
  bool clear;  // grad and touched become 0 where they were touched
};

/// Hash-grid loops for D = 2 and 3, F = 2. Points come as three arrays of coordinates, readable up to a multiple
/// of kHashGroup.
struct HashGridLoops {
  /// Encodes n points in one level: pairs[i] is a pair of features in the table's format; of f32 the first is there and
  /// the second at pairs[stride + i]. Writes as far as it reads. `table`: of all levels. `numbers`, of up to kHashGroup
  /// points whose format is narrower: what is rounded to pairs[i], numbers[i] and numbers[kHashGroup + i]; may be null.
  void (*encode_level)(TableFormat format, const HashGridAttr& grid, const HashGridLevel& level,
                       const float* const x[3], int64_t n, const void* table, uint32_t* pairs, int64_t stride,
                       float* numbers);
  /// What n points (n ≤ kHashBlock) add to the gradient of one level: to entry[corner · kHashBlock + i] the pair of
  /// features at shares[2 · (corner · kHashBlock + i)], which is the corner's weight times the pair at g[2 · i].
  /// Readable and writable up to kHashBlock.
  void (*shares)(const HashGridAttr& grid, const HashGridLevel& level, const float* const x[3], const float* g,
                 int64_t n, uint32_t* entry, float* shares);
};
inline constexpr int64_t kHashBlock = 256;
/// At most so many points are in the works at once.
inline constexpr int64_t kHashGroup = 256;

struct SimdTable {
  Isa isa;
  ElementwiseLoops<float> f32;
  ElementwiseLoops<double> f64;
  PoolLoops<float> pool_f32;
  PoolLoops<double> pool_f64;
  NormLoops<float> norm_f32;
  NormLoops<double> norm_f64;
  NormLoops<float, Bf16> norm_bf16;
  /// in: `rows` rows of 32-bit words, `stride` apart, readable up to a multiple of 16 columns; out: `columns` rows of
  /// `rows`. Null: there are no vector loops.
  void (*transpose)(const uint32_t* in, int64_t stride, int64_t rows, uint32_t* out, int64_t columns);
  HashGridLoops hash_grid;  // encode_level is null where transpose is: use the scalar bodies
  /// counted_adam over the blocks whose touched byte is set. Null: use that on runs of blocks.
  int64_t (*touched_adam)(const kernels::CountedAdam<float>& step, const kernels::UpdateLimits<float>& limits,
                          const TouchedAdam& a, int64_t blocks);
  /// Multiplies n elements by the dropout mask; Draw::first is that of x[0]. Kept where the top 24 bits of the
  /// element's random word are below `threshold`; kept elements are multiplied by `scale`.
  void (*dropout)(const float* x, float* out, int64_t n, const Draw& draw, uint32_t threshold, float scale);
  void (*dropout_f64)(const double* x, double* out, int64_t n, const Draw& draw, uint32_t threshold, double scale);
  /// n elements of the op `random`; Draw::first is that of out[0].
  void (*random)(float* out, int64_t n, const Draw& draw, const RandomAttr& attr);
  void (*random_f64)(double* out, int64_t n, const Draw& draw, const RandomAttr& attr);
};

template <class T>
const ElementwiseLoops<T>& elementwise_loops_of(const SimdTable& table) {
  if constexpr (sizeof(T) == 8)
    return table.f64;
  else
    return table.f32;
}
template <class T>
const PoolLoops<T>& pool_loops_of(const SimdTable& table) {
  if constexpr (sizeof(T) == 8)
    return table.pool_f64;
  else
    return table.pool_f32;
}
template <class T, class S>
const NormLoops<T, S>& norm_loops_of(const SimdTable& table) {
  if constexpr (sizeof(S) == sizeof(Bf16))
    return table.norm_bf16;
  else if constexpr (sizeof(S) == 8)
    return table.norm_f64;
  else
    return table.norm_f32;
}

/// The table for `isa`, which this CPU must have.
const SimdTable& simd_table(Isa isa);

extern const SimdTable kSimdScalar;
#if defined(__x86_64__)
extern const SimdTable kSimdAvx2, kSimdAvx512;
#endif

}  // namespace hw::cpu
