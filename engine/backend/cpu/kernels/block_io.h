// Reads and writes runs of elements of an operand as T (float or double), whatever its dtype and broadcasting.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/core/convert.h"

namespace hw::cpu {

template <class T>
inline constexpr DType kDTypeOf = sizeof(T) == 8 ? DType::f64 : DType::f32;

/// Elements a block kernel takes at once: a block of three operands stays in the L1 cache.
inline constexpr int64_t kBlock = 1024;

/// How an input is stretched to the shape of the output: decided once, from the shapes.
class Broadcast {
 public:
  Broadcast() = default;
  /// `by_row`: the operand follows the output's rows, else it is whole.
  Broadcast(const Dims& in, const Dims& out, bool by_row) {
    const size_t lead = out.size() - in.size();
    int64_t natural = 1, expected = 1;
    size_t matching = out.size();  // axes from here on are as in the output
    bool prefix = true;
    axes_.resize(out.size());
    for (size_t d = out.size(); d-- > 0;) {
      const int64_t size = d >= lead ? in[d - lead] : 1;
      const bool stretched = size == 1 && (out[d] != 1 || (d == 0 && !by_row));
      axes_[d] = {out[d], stretched ? 0 : natural};
      if (prefix && (!stretched || out[d] == 1) && (d != 0 || by_row || out[d] == 1)) {
        matching = d;
        expected *= out[d];
      } else {
        prefix = false;
      }
      natural *= size;
    }
    period_ = natural;
    merge_axes();
    if (matching == 0)
      kind_ = Kind::same;
    else if (natural == 1)
      kind_ = Kind::scalar;
    else if (expected == natural)
      kind_ = Kind::periodic;
    else
      kind_ = Kind::strided;
  }

  /// `count` elements from `first` on, of the output's tile. Returns `buffer`, or the operand's own memory.
  template <class T>
  const T* read(const Operand& x, int64_t first, int64_t count, T* buffer) const {
    if (kind_ == Kind::same) {
      if (x.dtype == kDTypeOf<T>) return x.as<T>() + first;
      fetch(x, first, count, buffer);
    } else if (kind_ == Kind::scalar) {
      fetch(x, 0, 1, buffer);
      std::fill(buffer + 1, buffer + count, buffer[0]);
    } else if (kind_ == Kind::periodic) {
      read_periodic(x, first, count, buffer);
    } else {
      read_strided(x, first, count, buffer);
    }
    return buffer;
  }

 private:
  enum class Kind : uint8_t { same, scalar, periodic, strided };
  struct Axis {
    int64_t size, stride;
  };

  // Neighbours that are stretched alike, or that lie behind each other in memory, become one axis: longer runs.
  void merge_axes() {
    std::vector<Axis> merged;
    for (const Axis& inner : axes_) {
      if (!merged.empty() && merged.back().stride == inner.stride * inner.size)
        merged.back() = {merged.back().size * inner.size, inner.stride};
      else
        merged.push_back(inner);
    }
    axes_ = std::move(merged);
  }

  template <class T>
  static void fetch(const Operand& x, int64_t from, int64_t count, T* to) {
    convert(kDTypeOf<T>, to, x.dtype, x.data + static_cast<size_t>(from) * size_of(x.dtype),
            static_cast<size_t>(count));
  }

  template <class T>
  void read_periodic(const Operand& x, int64_t first, int64_t count, T* buffer) const {
    int64_t have = 0;
    for (int64_t from = first % period_; have < count && have < period_; from = 0) {
      const int64_t n = std::min({count - have, period_ - from, period_ - have});
      fetch(x, from, n, buffer + have);
      have += n;
    }
    while (have < count) {  // the first `have` elements are whole periods
      const int64_t n = std::min(have, count - have);
      std::copy(buffer, buffer + n, buffer + have);
      have += n;
    }
  }

  template <class T>
  void read_strided(const Operand& x, int64_t first, int64_t count, T* buffer) const {
    const Axis& last = axes_.back();
    for (int64_t done = 0; done < count;) {
      int64_t rest = (first + done) / last.size, at = (first + done) % last.size;
      const int64_t n = std::min(count - done, last.size - at);
      int64_t source = at * last.stride;
      for (size_t d = axes_.size() - 1; d-- > 0; rest /= axes_[d].size)
        source += (d == 0 ? rest : rest % axes_[d].size) * axes_[d].stride;
      if (last.stride == 0) {
        fetch(x, source, 1, buffer + done);
        std::fill(buffer + done + 1, buffer + done + n, buffer[done]);
      } else {
        fetch(x, source, n, buffer + done);
      }
      done += n;
    }
  }

  Kind kind_ = Kind::same;
  int64_t period_ = 1;
  std::vector<Axis> axes_;
};

/// Elements [first, first + count) of an operand as T: its own memory, or widened into `buffer`.
template <class T>
const T* elements_of(const Operand& x, int64_t first, int64_t count, T* buffer) {
  if (x.dtype == kDTypeOf<T>) return x.as<T>() + first;
  convert(kDTypeOf<T>, buffer, x.dtype, x.data + static_cast<size_t>(first) * size_of(x.dtype),
          static_cast<size_t>(count));
  return buffer;
}

/// Where to compute elements [first, …) of an output: its own memory, or `buffer` when the dtype differs.
template <class T>
T* write_target(const Operand& out, int64_t first, T* buffer) {
  return out.dtype == kDTypeOf<T> ? out.as<T>() + first : buffer;
}
template <class T>
void write_back(const Operand& out, int64_t first, int64_t count, const T* buffer) {
  if (out.dtype != kDTypeOf<T>) store(out, first, count, kDTypeOf<T>, buffer);
}

}  // namespace hw::cpu
