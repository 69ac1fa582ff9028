// Pictures row by row, as pixels whose channels lie side by side: the few rows that are worked on stay in the cache.
#pragma once

#include <utility>
#include <vector>

#include "engine/backend/cpu/pixels.h"

namespace hw::cpu {

/// Rows of pixels of one operand [N, C, H, W] in f32 (f64 for f64): all channels of it where they are channels last,
/// else a few at a time.
struct PixelRows {
  Pictures pictures;
  DType dtype;
  int64_t kept;  // how many rows are held at once

  PixelRows(const KernelContext& c, ValueId v, int64_t rows) : pictures(c, v), dtype(c.program[v].dtype), kept(rows) {}

  int64_t block() const { return pictures.channels_last ? std::max<int64_t>(pictures.channels, 1) : Pictures::kCopied; }
  int64_t elements() const { return pictures.size[1] * block(); }  // of a row
  /// Whether rows are where the operand has them.
  template <class T>
  bool in_place() const {
    return pictures.channels_last && dtype == kDTypeOf<T>;
  }
  /// Scratch that RowReader and RowWriter take.
  template <class T>
  size_t bytes() const {
    if (in_place<T>()) return 0;
    return padded(static_cast<size_t>(kept * elements()) * sizeof(T)) +
           padded(static_cast<size_t>(pictures.size[1]) * sizeof(T));
  }
  /// Where row h of some channel of a picture begins in memory.
  int64_t at(int64_t picture, int64_t channel, int64_t h) const {
    const int64_t width = pictures.size[1];
    return picture * pictures.elements() +
           (pictures.channels_last ? h * width * pictures.channels : channel * pictures.pixels() + h * width);
  }
};

template <class T>
class RowReader {
 public:
  RowReader(const PixelRows& rows, const Operand& operand, std::byte* scratch)
      : rows_(rows),
        operand_(operand),
        ring_(reinterpret_cast<T*>(scratch)),
        line_(ring_ + padded(static_cast<size_t>(rows.kept * rows.elements()) * sizeof(T)) / sizeof(T)),
        held_(static_cast<size_t>(rows.kept), -1) {}
  /// Channels [first, first + count) of a picture; count ≤ PixelRows::block().
  void open(int64_t picture, int64_t first, int64_t count) {
    picture_ = picture;
    first_ = first;
    count_ = count;
    std::fill(held_.begin(), held_.end(), -1);
  }
  /// Until `kept` rows further are asked for.
  const T* operator[](int64_t h) {
    if (rows_.in_place<T>()) return operand_.as<T>() + rows_.at(picture_, first_, h);
    const int64_t slot = h % rows_.kept;
    T* row = ring_ + slot * rows_.elements();
    if (std::exchange(held_[static_cast<size_t>(slot)], h) != h) make(h, row);
    return row;
  }

 private:
  void make(int64_t h, T* row) {
    if (rows_.pictures.channels_last) {
      elements_of(operand_, rows_.at(picture_, first_, h), rows_.elements(), row);
      return;
    }
    const int64_t width = rows_.pictures.size[1];
    for (int64_t c = 0; c < count_; ++c) {
      const T* line = elements_of(operand_, rows_.at(picture_, first_ + c, h), width, line_);
      for (int64_t w = 0; w < width; ++w) row[w * count_ + c] = line[w];
    }
  }

  const PixelRows& rows_;
  const Operand& operand_;
  T *ring_, *line_;
  std::vector<int64_t> held_;  // by slot of the ring
  int64_t picture_ = 0, first_ = 0, count_ = 0;
};

/// Writes rows of pixels of an operand, one by one or, from the first on, some at a time that are added to.
template <class T>
class RowWriter {
 public:
  RowWriter(const PixelRows& rows, const Operand& operand, std::byte* scratch)
      : rows_(rows),
        operand_(operand),
        ring_(reinterpret_cast<T*>(scratch)),
        line_(ring_ + padded(static_cast<size_t>(rows.kept * rows.elements()) * sizeof(T)) / sizeof(T)) {}
  void open(int64_t picture, int64_t first, int64_t count) {
    picture_ = picture;
    first_ = first;
    count_ = count;
    begun_ = done_ = 0;
  }
  /// Rows up to here are zeros that can be added to; no more than `kept` that are not finished.
  void begin_to(int64_t end) {
    for (; begun_ < end; ++begun_) {
      T* row = (*this)[begun_];
      std::fill(row, row + rows_.pictures.size[1] * count_, T(0));
    }
  }
  T* operator[](int64_t h) {
    return rows_.in_place<T>() ? operand_.as<T>() + rows_.at(picture_, first_, h)
                               : ring_ + h % rows_.kept * rows_.elements();
  }
  /// Rows up to here are written.
  void finish_to(int64_t end) {
    for (; done_ < end; ++done_) {
      begin_to(done_ + 1);
      put(done_);
    }
  }
  /// Row h, all of which has been computed, is written.
  void put(int64_t h) {
    if (rows_.in_place<T>()) return;
    const T* row = (*this)[h];
    const int64_t width = rows_.pictures.size[1];
    if (rows_.pictures.channels_last)
      return store(operand_, rows_.at(picture_, first_, h), rows_.elements(), kDTypeOf<T>, row);
    for (int64_t c = 0; c < count_; ++c) {
      const int64_t at = rows_.at(picture_, first_ + c, h);
      T* line = write_target(operand_, at, line_);
      for (int64_t w = 0; w < width; ++w) line[w] = row[w * count_ + c];
      write_back(operand_, at, width, line);
    }
  }

 private:
  const PixelRows& rows_;
  const Operand& operand_;
  T *ring_, *line_;
  int64_t picture_ = 0, first_ = 0, count_ = 0, begun_ = 0, done_ = 0;
};

}  // namespace hw::cpu
