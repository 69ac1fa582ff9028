// Values for parameters by chance.
#pragma once

#include <random>

#include "engine/node/declaration.h"

namespace hw::fuzz {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  /// From 0 to count − 1.
  int64_t below(int64_t count) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count)); }
  bool chance(double share) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < share; }
  double between(double lo, double hi) { return lo + (hi - lo) * (static_cast<double>(engine_() >> 11) * 0x1p-53); }
  template <class List>
  const auto& of(const List& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(std::size(list))))];
  }
  template <class T>
  T of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<int64_t>(list.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

/// A small value that the parameter allows, or one at its bounds.
ParamValue fitting_value(const ParamDecl& param, Dice& dice);
/// Any value: beyond the bounds, enormous, not a number, empty, or of another kind.
ParamValue wild_value(const ParamDecl& param, Dice& dice);

}  // namespace hw::fuzz
