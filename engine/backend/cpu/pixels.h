// Pictures as pixels whose channels lie side by side: in memory where they are channels last, else copied a few
// channels at a time. Ops that treat channels alike are written once, for pixels.
#pragma once

#include <algorithm>

#include "engine/backend/cpu/block_io.h"
#include "engine/backend/cpu/norm_sums.h"

namespace hw::cpu {

/// Some channels of the pixels of a picture: those of pixel i begin at data + i * stride.
template <class T>
struct Pixels {
  T* data;
  int64_t stride;
  T* operator[](int64_t pixel) const { return data + pixel * stride; }
};

/// One operand [N, C, H, W] of an op, read or written as f32 (f64 for f64).
struct Pictures {
  int64_t channels;
  Pair size;  // H, W
  bool channels_last;

  Pictures(const KernelContext& c, ValueId v)
      : channels(c.program[v].dims[1]),
        size{c.program[v].dims[2], c.program[v].dims[3]},
        channels_last(c.channels_last[v]) {}

  int64_t pixels() const { return size[0] * size[1]; }
  int64_t elements() const { return channels * pixels(); }
  /// How many channels are worked on at once.
  static constexpr int64_t kMost = 256, kCopied = 16;
  int64_t block() const { return channels_last ? kMost : kCopied; }

  /// Scratch that Reader and Writer take.
  template <class T>
  size_t bytes() const {
    return padded(static_cast<size_t>(elements()) * sizeof(T)) +
           (channels_last ? 0 : padded(static_cast<size_t>(pixels() * kCopied) * sizeof(T)));
  }
};

template <class T>
class PixelReader {
 public:
  PixelReader(const Pictures& pictures, const Operand& operand, std::byte* scratch)
      : p_(pictures), operand_(operand), wide_(reinterpret_cast<T*>(scratch)) {
    copy_ = reinterpret_cast<T*>(scratch + padded(static_cast<size_t>(p_.elements()) * sizeof(T)));
  }
  void open(int64_t picture) { x_ = row_of(operand_, picture, wide_); }
  /// Channels [first, first + count), count ≤ Pictures::block(), of the open picture; until the next call.
  Pixels<const T> read(int64_t first, int64_t count) const {
    if (p_.channels_last) return {x_ + first, p_.channels};
    const int64_t pixels = p_.pixels();
    for (int64_t i = 0; i < pixels; ++i)
      for (int64_t c = 0; c < count; ++c) copy_[i * count + c] = x_[(first + c) * pixels + i];
    return {copy_, count};
  }

 private:
  const Pictures& p_;
  const Operand& operand_;
  T *wide_, *copy_;
  const T* x_ = nullptr;
};

template <class T>
class PixelWriter {
 public:
  PixelWriter(const Pictures& pictures, const Operand& operand, std::byte* scratch)
      : p_(pictures), operand_(operand), wide_(reinterpret_cast<T*>(scratch)) {
    copy_ = reinterpret_cast<T*>(scratch + padded(static_cast<size_t>(p_.elements()) * sizeof(T)));
  }
  void open(int64_t picture) {
    first_ = picture * p_.elements();
    y_ = write_target(operand_, first_, wide_);
  }
  /// Where channels [first, first + count) of the open picture are to be written, before put().
  Pixels<T> target(int64_t first, int64_t count) const {
    if (p_.channels_last) return {y_ + first, p_.channels};
    return {copy_, count};
  }
  void put(int64_t first, int64_t count) const {
    if (p_.channels_last) return;
    const int64_t pixels = p_.pixels();
    for (int64_t c = 0; c < count; ++c)
      for (int64_t i = 0; i < pixels; ++i) y_[(first + c) * pixels + i] = copy_[i * count + c];
  }
  void close() const { write_back(operand_, first_, p_.elements(), y_); }

 private:
  const Pictures& p_;
  const Operand& operand_;
  T *wide_, *copy_, *y_ = nullptr;
  int64_t first_ = 0;
};

/// The kernel for the storage dtype of input 0: f32 arithmetic, f64 for f64.
template <template <class> class Made>
std::unique_ptr<TileKernel> made_on_pixels(const KernelContext& c) {
  std::unique_ptr<TileKernel> kernel;
  if (c.in(0).dtype == DType::f64)
    kernel = std::make_unique<Made<double>>(c);
  else
    kernel = std::make_unique<Made<float>>(c);
  kernel->kernel_info = own_kernel_info(c, c.in(0).dtype);
  return kernel;
}

}  // namespace hw::cpu
