// Pictures row by row, as pixels whose channels lie side by side: the few rows that are worked on stay in the cache.
// Ops that treat channels alike are written once, for pixels.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/backend/cpu/kernels/block_io.h"

namespace hw::cpu {

/// Rows of pixels of one operand [N, C, H, W] in f32 (f64 for f64): all channels of it where they are channels last,
/// else a few at a time.
struct PixelRows {
  int64_t channels;
  Pair size;  // H, W
  bool channels_last;
  DType dtype;
  int64_t kept;  // how many rows are held at once

  PixelRows(const KernelContext& c, ValueId v, int64_t rows)
      : channels(c.program[v].dims[1]),
        size{c.program[v].dims[2], c.program[v].dims[3]},
        channels_last(c.channels_last[v]),
        dtype(c.program[v].dtype),
        kept(rows) {}

  /// How many channels are worked on at once.
  int64_t block() const { return channels_last ? std::max<int64_t>(channels, 1) : 16; }
  int64_t elements() const { return size[1] * block(); }  // of a row
  /// Whether rows are where the operand has them.
  template <class T>
  bool in_place() const {
    return channels_last && dtype == kDTypeOf<T>;
  }
  /// Bytes of the rows that are held.
  template <class T>
  size_t ring_bytes() const {
    return padded(static_cast<size_t>(kept * elements()) * sizeof(T));
  }
  /// Scratch that RowReader and RowWriter take.
  template <class T>
  size_t bytes() const {
    return in_place<T>() ? 0 : ring_bytes<T>() + padded(static_cast<size_t>(size[1]) * sizeof(T));
  }
  /// Where row h of some channel of a picture begins in memory.
  int64_t at(int64_t picture, int64_t channel, int64_t h) const {
    const int64_t first = picture * channels * size[0] * size[1];
    return first + (channels_last ? h * size[1] * channels : (channel * size[0] + h) * size[1]);
  }
};

/// What a reader and a writer have in common: some channels of a picture, and `kept` of its rows in scratch.
template <class T>
class RowRing {
 public:
  /// `scratch`: PixelRows::bytes().
  RowRing(const PixelRows& rows, const Operand& operand, std::byte* scratch)
      : rows_(rows),
        operand_(operand),
        ring_(reinterpret_cast<T*>(scratch)),
        line_(reinterpret_cast<T*>(scratch + rows.ring_bytes<T>())) {}

 protected:
  /// Channels [first, first + count) of a picture; count ≤ PixelRows::block().
  void open(int64_t picture, int64_t first, int64_t count) {
    picture_ = picture;
    first_ = first;
    count_ = count;
  }
  /// Row h of the operand in memory, of channel `first_ + c` where it is not channels last.
  int64_t at(int64_t h, int64_t c = 0) const { return rows_.at(picture_, first_ + c, h); }
  T* in_operand(int64_t h) const { return operand_.as<T>() + at(h); }
  T* in_ring(int64_t h) const { return ring_ + h % rows_.kept * rows_.elements(); }

  const PixelRows& rows_;
  const Operand& operand_;
  T *ring_, *line_;  // line_: one channel of a row
  int64_t picture_ = 0, first_ = 0, count_ = 0;
};

template <class T>
class RowReader : RowRing<T> {
  using Ring = RowRing<T>;
  using Ring::count_, Ring::line_, Ring::operand_, Ring::rows_;

 public:
  RowReader(const PixelRows& rows, const Operand& operand, std::byte* scratch)
      : Ring(rows, operand, scratch), held_(static_cast<size_t>(rows.kept), -1) {}
  /// As RowRing's.
  void open(int64_t picture, int64_t first, int64_t count) {
    Ring::open(picture, first, count);
    std::fill(held_.begin(), held_.end(), -1);
  }
  /// Until `kept` rows further are asked for.
  const T* operator[](int64_t h) {
    if (rows_.template in_place<T>()) return this->in_operand(h);
    T* row = this->in_ring(h);
    if (std::exchange(held_[static_cast<size_t>(h % rows_.kept)], h) != h) make(h, row);
    return row;
  }

 private:
  void make(int64_t h, T* row) {
    if (rows_.channels_last) {
      elements_of(operand_, this->at(h), rows_.elements(), row);
      return;
    }
    const int64_t width = rows_.size[1];
    for (int64_t c = 0; c < count_; ++c) {
      const T* line = elements_of(operand_, this->at(h, c), width, line_);
      for (int64_t w = 0; w < width; ++w) row[w * count_ + c] = line[w];
    }
  }

  std::vector<int64_t> held_;  // by slot of the ring
};

/// Writes rows of pixels of an operand, one by one or, from the first on, some at a time that are added to.
template <class T>
class RowWriter : RowRing<T> {
  using Ring = RowRing<T>;
  using Ring::count_, Ring::line_, Ring::operand_, Ring::rows_;

 public:
  using Ring::Ring;
  /// As RowRing's.
  void open(int64_t picture, int64_t first, int64_t count) {
    Ring::open(picture, first, count);
    begun_ = done_ = 0;
  }
  /// Rows up to here are zeros that can be added to; no more than `kept` that are not finished.
  void begin_to(int64_t end) {
    for (; begun_ < end; ++begun_) {
      T* row = (*this)[begun_];
      std::fill(row, row + rows_.size[1] * count_, T(0));
    }
  }
  T* operator[](int64_t h) { return rows_.template in_place<T>() ? this->in_operand(h) : this->in_ring(h); }
  /// Rows up to here are written.
  void finish_to(int64_t end) {
    for (; done_ < end; ++done_) {
      begin_to(done_ + 1);
      put(done_);
    }
  }
  /// Row h, all of which has been computed, is written.
  void put(int64_t h) {
    if (rows_.template in_place<T>()) return;
    const T* row = (*this)[h];
    if (rows_.channels_last) return store(operand_, this->at(h), rows_.elements(), kDTypeOf<T>, row);
    const int64_t width = rows_.size[1];
    for (int64_t c = 0; c < count_; ++c) {
      T* line = write_target(operand_, this->at(h, c), line_);
      for (int64_t w = 0; w < width; ++w) line[w] = row[w * count_ + c];
      write_back(operand_, this->at(h, c), width, line);
    }
  }

 private:
  int64_t begun_ = 0, done_ = 0;
};

}  // namespace hw::cpu
