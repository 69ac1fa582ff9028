// A product by plain sums, for shapes that no library takes, and for tests.
#pragma once

#include "engine/backend/gpu/ops/map.h"

namespace hw::gpu {

/// One element of C; T: what it accumulates in.
template <class T>
struct PlainProduct {
  Gemm g;
  kernels::Source a, b;
  kernels::Target c;
  HW_BODY void operator()(int64_t i) const {
    const int64_t column = i % g.m, row = i / g.m % g.n, matrix = i / (g.n * g.m);
    T sum = 0;
    for (int64_t k = 0; k < g.k; ++k)
      sum += a.at<T>(matrix * g.step_a + (g.transpose_a ? k * g.n + row : row * g.k + k)) *
             b.at<T>(matrix * g.step_b + (g.transpose_b ? column * g.k + k : k * g.m + column));
    if (g.bias) sum += kernels::Source{g.result, g.bias}.at<T>(column);
    if (g.adds_matrix) sum += kernels::Source{g.result, g.matrix}.at<T>(row * g.m + column);
    c.put(matrix * g.step_c + row * g.m + column, sum);
  }

  HW_REAL_KERNEL(T, PlainProduct, g.transpose_a, g.transpose_b, a.dtype, b.dtype, c.dtype, g.result)
  int64_t turns() const { return g.k; }
};

/// Adds the bias to one element of C.
template <class T>
struct AddBias {
  kernels::Source bias;
  kernels::Target c;
  int64_t m;
  HW_BODY void operator()(int64_t i) const { c.put(i, c.source().at<T>(i) + bias.at<T>(i % m)); }

  HW_REAL_KERNEL(T, AddBias, bias.dtype, c.dtype)
};

/// Adds the matrix to one element of C.
template <class T>
struct AddMatrix {
  kernels::Source matrix;
  kernels::Target c;
  int64_t size, step;  // of one C, from one to the next
  HW_BODY void operator()(int64_t i) const {
    const int64_t at = i / size * step + i % size;
    c.put(at, c.source().at<T>(at) + matrix.at<T>(i % size));
  }

  HW_REAL_KERNEL(T, AddMatrix, matrix.dtype, c.dtype)
};

/// The bias and the matrix of a product that has been made without.
template <class Launcher, class T>
Status add_terms(Driver& driver, const Gemm& g) {
  const kernels::Target c{g.result, g.c};
  if (g.bias) HW_CHECK(Launcher::launch(driver, g.n * g.m, AddBias<T>{{g.result, g.bias}, c, g.m}));
  if (!g.adds_matrix) return ok();
  return Launcher::launch(driver, g.batch * g.n * g.m, AddMatrix<T>{{g.result, g.matrix}, c, g.n * g.m, g.step_c});
}
template <class Launcher>
Status add_terms(Driver& driver, const Gemm& g) {
  return g.result == DType::f64 ? add_terms<Launcher, double>(driver, g) : add_terms<Launcher, float>(driver, g);
}

template <class Launcher>
Status plain_product(Driver& driver, const Gemm& g) {
  const DType memory = g.operand == DType::tf32 ? DType::f32 : g.operand;  // tf32 numbers lie in f32
  const int64_t n = g.batch * g.n * g.m;
  if (n == 0) return ok();
  if (g.operand == DType::f64)
    return Launcher::launch(driver, n, PlainProduct<double>{g, {memory, g.a}, {memory, g.b}, {g.result, g.c}});
  return Launcher::launch(driver, n, PlainProduct<float>{g, {memory, g.a}, {memory, g.b}, {g.result, g.c}});
}

}  // namespace hw::gpu
