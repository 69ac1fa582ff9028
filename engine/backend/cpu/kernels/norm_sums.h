// What the normalisations share: rows as f32 or f64, sums in a fixed order, and the dtypes that a kernel reports.
#pragma once

#include <vector>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/backend/cpu/kernels/partial_sums.h"

namespace hw::cpu {

inline double lanes_sum(const double (&l)[8]) {
  return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
}

/// Σ f(i) over [0, n): in eight lanes, which are added in a fixed order.
template <class F>
double sum(int64_t n, F f) {
  double lanes[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int64_t k = 0; k < 8; ++k) lanes[k] += f(i + k);
  for (; i < n; ++i) lanes[i % 8] += f(i);
  return lanes_sum(lanes);
}

/// A row as T, as elements_of.
template <class T>
const T* row_of(const Operand& x, int64_t row, T* buffer) {
  return elements_of(x, row * x.row_elems, x.row_elems, buffer);
}

/// A whole operand as f64.
inline std::vector<double> wide(const Operand& x) {
  std::vector<double> v(static_cast<size_t>(x.size()));
  convert(DType::f64, v.data(), x.dtype, x.data, v.size());
  return v;
}

/// `bytes` into the scratch of the tile.
template <class T>
T* buffer_at(const Tile& tile, size_t bytes) {
  return reinterpret_cast<T*>(tile.scratch + bytes);
}

/// The kernel for the storage dtype of input 0. Sums are f64.
template <class Interface, template <class> class Made>
std::unique_ptr<Interface> made_norm(const KernelContext& c) {
  const DType storage = c.in(0).dtype, compute = compute_dtype(storage);
  std::unique_ptr<Interface> kernel;
  if (compute == DType::f64)
    kernel = std::make_unique<Made<double>>(c);
  else
    kernel = std::make_unique<Made<float>>(c);
  kernel->kernel_info = {storage, compute, DType::f64, "cpu scalar"};
  return kernel;
}

}  // namespace hw::cpu
