// Shape rules and their messages.
#include "engine/node/shapes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

namespace hw::shapes {

WireType tensor(DType dtype, Shape shape) {
  return {Kind::tensor, dtype, std::move(shape), false};
}

void declare_compute(NodeDecl& d) {
  d.choice("compute", "storage", {"storage", "tf32", "f16", "bf16", "f8e4m3", "f8e5m2"})
      .docs(
          "What both factors of a product are rounded to, to nearest, forward and backward: their storage dtype, or a "
          "narrower one. Sums stay in f32 (f64 for f64). Beyond the largest number: infinite (f8e4m3: NaN).");
}

std::optional<DType> compute_of(const Params& p) {
  return dtype_from_name(p.text("compute"));
}

void declare_expected(NodeDecl& d, std::string id) {
  d.integer(std::move(id), 0)
      .docs("What the input must have, checked where it is given; 0: as many as it has.")
      .range(0, 1 << 24)
      .default_stands_for("any");
}

Status as_expected(const ShapeArgs& a, std::string_view id, int64_t got) {
  const int64_t expected = a.params().integer(id);
  if (expected == 0 || expected == got) return ok();
  return Error{codes::size_mismatch, "x",
               std::string(id) + " says " + std::to_string(expected) + ", but the input " + to_string(a.shape("x")) +
                   " has " + std::to_string(got) + ".",
               "Set " + std::string(id) + " to " + std::to_string(got) + ", or to 0 for any number."};
}

void declare_kind(NodeDecl& d) {
  d.choice("kind", "tensor", {"tensor", "mesh", "image", "dataset"}).docs("What the wire carries.");
}

Kind kind_of(const Params& p) {
  const std::string& text = p.text("kind");
  return text == "mesh" ? Kind::mesh : text == "image" ? Kind::image : text == "dataset" ? Kind::dataset : Kind::tensor;
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

Status require_field(const ShapeArgs& a, std::string_view socket) {
  HW_CHECK(require_axes(a, socket, "N C"));
  HW_TRY(const int64_t channels, last_size(a, socket));
  return check_channels(a.params().decl().find_input(socket)->field->channels, channels, std::string(socket),
                        to_string(a.shape(socket)));
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
  const auto rank = static_cast<int64_t>(shape.rank());
  HW_TRY(const std::vector<int64_t> whole, whole_numbers(a.params(), "axes"));
  for (const int64_t axis : whole)
    if (axis < -rank || axis >= rank)
      return Error{codes::bad_parameter, "axes",
                   "must name axes of " + to_string(shape) + ", got " + to_string(ParamValue(given)) + ".",
                   "From 0, or from the end when negative; empty means all."};
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

Result<std::vector<int64_t>> whole_numbers(const Params& p, std::string_view id) {
  std::vector<int64_t> numbers;
  for (const double v : p.vector(id)) {
    if (v != std::trunc(v) || std::abs(v) > 0x1p53)
      return Error{codes::bad_parameter, std::string(id),
                   "must be whole numbers, got " + to_string(ParamValue(p.vector(id))) + ".", "Leave fractions out."};
    numbers.push_back(static_cast<int64_t>(v));
  }
  return numbers;
}

Result<Dims> sizes_of(const Params& p, std::string_view id) {
  constexpr int64_t kMaxElements = 1 << 28;
  const std::vector<double>& sizes = p.vector(id);
  HW_TRY(const Dims dims, whole_numbers(p, id));
  double count = 1;
  for (const int64_t size : dims) {
    if (size < 1 || size > kMaxElements)
      return Error{codes::bad_parameter, std::string(id),
                   "sizes must be at least 1, got " + to_string(ParamValue(sizes)) + ".", ""};
    count *= static_cast<double>(size);
  }
  if (count > kMaxElements)
    return Error{codes::bad_parameter, std::string(id),
                 "must have at most 2^28 elements, got " + to_string(ParamValue(sizes)) + ".", ""};
  return dims;
}

std::vector<std::string> axis_names(const Params& p, std::string_view id) {
  std::istringstream words(p.text(id));
  return {std::istream_iterator<std::string>(words), {}};
}

Result<Shape> named_shape(const Params& p, const Dims& dims, std::string_view id) {
  const auto names = axis_names(p, id);
  if (!names.empty() && names.size() != dims.size())
    return Error{codes::bad_parameter, std::string(id),
                 "names " + std::to_string(names.size()) + " axes, but the shape " + to_string(dims) + " has " +
                     std::to_string(dims.size()) + ".",
                 ""};
  Shape shape;
  for (size_t i = 0; i < dims.size(); ++i) shape.push_back({names.empty() ? "" : names[i], dims[i], ""});
  return shape;
}

}  // namespace hw::shapes
