// Shape rules and their messages.
#include "engine/node/shapes.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace hw::shapes {

WireType tensor(DType dtype, Shape shape) {
  return {Kind::tensor, dtype, std::move(shape), false};
}

Result<Shapes> same_as(const ShapeArgs& a, std::string_view socket) {
  return Shapes{tensor(a.dtype(socket), a.shape(socket))};
}

Result<Shapes> broadcast(const ShapeArgs& a, std::string_view first, std::string_view second) {
  auto shape = hw::broadcast(a.shape(first), a.shape(second));
  if (!shape) {
    Error error = shape.error();
    error.where = second;
    return error;
  }
  return Shapes{tensor(a.dtype(first), std::move(*shape))};
}

Status require_axes(const ShapeArgs& a, std::string_view socket, std::string_view axes) {
  std::istringstream words{std::string(axes)};
  size_t count = 0;
  for (std::string word; words >> word;) ++count;
  const Shape& shape = a.shape(socket);
  if (shape.rank() == count) return ok();
  return Error{codes::rank_mismatch, std::string(socket),
               "expects " + std::to_string(count) + (count == 1 ? " axis [" : " axes [") + std::string(axes) +
                   "], got " + std::to_string(shape.rank()) + ": " + to_string(shape) + ".",
               "Reshape, slice or concat to the expected axes."};
}

Result<int64_t> channels_of(const ShapeArgs& a, std::string_view socket) {
  const Shape& shape = a.shape(socket);
  if (shape.rank() < 2)
    return Error{codes::rank_mismatch, std::string(socket),
                 "expects a batch of channels [N C ..], got " + to_string(shape) + ".",
                 "Reshape to the expected axes."};
  for (size_t d = 1; d < shape.rank(); ++d)
    if (!shape[d].known() || shape[d].size < 1)
      return Error{codes::size_mismatch, std::string(socket),
                   "every size but N must be known and not 0, got " + to_string(shape) + ".",
                   "Give the source a fixed size."};
  return shape[1].size;
}

Result<int64_t> last_size(const ShapeArgs& a, std::string_view socket) {
  const Shape& shape = a.shape(socket);
  if (shape.rank() == 0)
    return Error{codes::rank_mismatch, std::string(socket), "expects at least one axis, got a scalar [].",
                 "Reshape the scalar to [1]."};
  const Axis& last = shape[shape.rank() - 1];
  if (!last.known())
    return Error{
        codes::size_mismatch, std::string(socket),
        "the size of the last axis must be known, got the symbol " + last.symbol + " in " + to_string(shape) + ".",
        "Give the source a fixed size."};
  return last.size;
}

Result<size_t> axis_of(const ShapeArgs& a, std::string_view socket) {
  const Shape& shape = a.shape(socket);
  const auto rank = static_cast<int64_t>(shape.rank());
  const int64_t axis = a.params().integer("axis");
  if (axis >= -rank && axis < rank) return static_cast<size_t>(wrap_axis(axis, shape.rank()));
  const std::string range =
      rank == 0 ? "a scalar has no axis" : "must be from " + std::to_string(-rank) + " to " + std::to_string(rank - 1);
  return Error{codes::bad_parameter, "axis", range + " for " + to_string(shape) + ", got " + std::to_string(axis) + ".",
               "-1 is the last axis."};
}

Result<std::vector<int>> axes_of(const ShapeArgs& a, std::string_view socket) {
  const Shape& shape = a.shape(socket);
  const std::vector<double>& given = a.params().vector("axes");
  const auto rank = static_cast<double>(shape.rank());
  for (const double axis : given)
    if (axis != std::floor(axis) || axis < -rank || axis >= rank)
      return Error{codes::bad_parameter, "axes",
                   "must name axes of " + to_string(shape) + ", got " + to_string(ParamValue(given)) + ".",
                   "Whole numbers from 0, or from the end when negative; empty means all."};
  std::vector<int> axes = wrap_axes(given, shape.rank());
  std::vector<int> sorted = axes;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    return Error{codes::bad_parameter, "axes",
                 "must name every axis once, got " + to_string(ParamValue(given)) + " of " + to_string(shape) + ".",
                 ""};
  return axes;
}

std::vector<int> wrap_axes(const std::vector<double>& axes, size_t rank) {
  std::vector<int> wrapped;
  for (const double axis : axes) wrapped.push_back(wrap_axis(static_cast<int64_t>(axis), rank));
  return wrapped;
}

}  // namespace hw::shapes
