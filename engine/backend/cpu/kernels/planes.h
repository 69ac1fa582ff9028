// Ops that take a picture plane by plane [H, W]: widening, rounding on store, and the loop over the planes of a tile.
#pragma once

#include "engine/backend/cpu/kernels/block_io.h"

namespace hw::cpu {

/// A plane of an operand as T: its own memory, or widened into `buffer`.
template <class T>
const T* plane_of(const Operand& x, int64_t plane, int64_t size, T* buffer) {
  if (x.dtype == kDTypeOf<T>) return x.as<T>() + plane * size;
  convert(kDTypeOf<T>, buffer, x.dtype, x.data + static_cast<size_t>(plane * size) * size_of(x.dtype),
          static_cast<size_t>(size));
  return buffer;
}

/// The planes of an input and an output, both [N, C, H, W] with the same N and C.
struct Planes {
  int64_t channels;
  Pair in, out;  // H, W

  Planes(const Dims& from, const Dims& to) : channels(from[1]), in{from[2], from[3]}, out{to[2], to[3]} {}

  /// Scratch that each() takes at the tile's begin.
  template <class T>
  size_t bytes() const {
    return padded(static_cast<size_t>(in[0] * in[1]) * sizeof(T)) +
           padded(static_cast<size_t>(out[0] * out[1]) * sizeof(T));
  }

  /// f(plane read, plane to write) in order.
  template <class T, class F>
  void each(const Tile& tile, const Operand& x, const Operand& y, F f) const {
    const int64_t from = in[0] * in[1], to = out[0] * out[1];
    auto* wide = reinterpret_cast<T*>(tile.scratch);
    auto* result = reinterpret_cast<T*>(tile.scratch + padded(static_cast<size_t>(from) * sizeof(T)));
    for (int64_t p = 0; p < tile.rows * channels; ++p) {
      T* target = write_target(y, p * to, result);
      f(plane_of(x, p, from, wide), target);
      write_back(y, p * to, to, target);
    }
  }
};

/// The kernel for the storage dtype of input 0: f32 arithmetic, f64 for f64.
template <template <class> class Made>
std::unique_ptr<TileKernel> made_on_planes(const KernelContext& c) {
  const DType storage = c.in(0).dtype, compute = compute_dtype(storage);
  std::unique_ptr<TileKernel> kernel;
  if (compute == DType::f64)
    kernel = std::make_unique<Made<double>>(c);
  else
    kernel = std::make_unique<Made<float>>(c);
  kernel->kernel_info = {storage, compute, compute, "cpu scalar"};
  return kernel;
}

}  // namespace hw::cpu
