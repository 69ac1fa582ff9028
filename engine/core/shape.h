// Shapes with named axes. A size may be symbolic (batch "N") until the graph is lowered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// Sizes of a tensor at run time, outermost first. Row major, contiguous. Empty: a scalar.
using Dims = std::vector<int64_t>;

/// Number of elements, kMostElements (sizes.h) where there are more; 1 for a scalar, −1 where a size is symbolic.
int64_t element_count(const Dims& dims);
/// "[65536, 3]".
std::string to_string(const Dims& dims);

/// One axis: a name from the field ("N", "C", "H", "W", "batch", "seq", "hidden") and a size, or a symbol for it.
struct Axis {
  std::string name;
  int64_t size = -1;   // −1: symbolic
  std::string symbol;  // set when size is −1: "N"

  bool known() const { return size >= 0; }
  bool operator==(const Axis&) const = default;
};

/// A shape on a wire.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Axis> axes) : axes_(axes) {}
  explicit Shape(std::vector<Axis> axes) : axes_(std::move(axes)) {}

  size_t rank() const { return axes_.size(); }
  const Axis& operator[](size_t i) const { return axes_[i]; }
  Axis& operator[](size_t i) { return axes_[i]; }
  const std::vector<Axis>& axes() const { return axes_; }
  void push_back(Axis axis) { axes_.push_back(std::move(axis)); }
  bool fully_known() const;
  /// The sizes; symbolic ones become −1.
  Dims dims() const;
  bool operator==(const Shape&) const = default;

 private:
  std::vector<Axis> axes_;
};

/// "[N 65536, C 3]"; "[]" for a scalar.
std::string to_string(const Shape& shape);

/// The shape both can have: ranks equal, each size equal or symbolic on one side. Names come from `a` when set.
/// Error HW-S001 (rank) or HW-S002 (size; `where` is the axis) with both shapes in the reason.
Result<Shape> unify(const Shape& a, const Shape& b);

/// NumPy broadcasting of two shapes (trailing axes aligned, size 1 stretches). Error HW-S003.
Result<Shape> broadcast(const Shape& a, const Shape& b);
Result<Dims> broadcast(const Dims& a, const Dims& b);

}  // namespace hw
