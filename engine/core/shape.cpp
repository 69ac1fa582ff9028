// Shapes: text, unification of symbolic sizes, NumPy broadcasting.
#include "engine/core/shape.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"

namespace hw {
namespace {

Error cannot_broadcast(const std::string& a, const std::string& b) {
  return {codes::no_broadcast, "", "Shapes " + a + " and " + b + " do not broadcast.",
          "Make the sizes equal, or 1, counted from the last axis."};
}

// The axis both have; size 1 stretches. Nothing when they clash or when a symbol meets another size than 1.
bool broadcast_axis(const Axis& a, const Axis& b, Axis* out) {
  const bool take_b = (a.size == 1 && b.size != 1) || (!a.known() && b.known() && b.size != 1);
  *out = take_b ? b : a;
  if (out->name.empty()) out->name = take_b ? a.name : b.name;
  if (a.size == 1 || b.size == 1) return true;
  if (a.known() && b.known()) return a.size == b.size;
  return true;
}

}  // namespace

int64_t element_count(const Dims& dims) {
  if (std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < 0; })) return -1;
  int64_t count = 1;
  for (const int64_t size : dims) count = size_product({count, size});
  return count;
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

bool Shape::fully_known() const {
  return std::all_of(axes_.begin(), axes_.end(), [](const Axis& a) { return a.known(); });
}

Dims Shape::dims() const {
  Dims dims;
  for (const Axis& a : axes_) dims.push_back(a.known() ? a.size : -1);
  return dims;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.rank(); ++i) {
    const Axis& a = shape[i];
    const std::string size = a.known() ? std::to_string(a.size) : (a.symbol.empty() ? "?" : a.symbol);
    if (i) text += ", ";
    text += a.name.empty() || a.name == size ? size : a.name + " " + size;
  }
  return text + "]";
}

Result<Shape> unify(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank())
    return Error{codes::rank_mismatch, "",
                 to_string(a) + " has " + std::to_string(a.rank()) + " axes, " + to_string(b) + " has " +
                     std::to_string(b.rank()) + ".",
                 "Reshape one of them."};
  std::vector<Axis> axes;
  for (size_t i = 0; i < a.rank(); ++i) {
    Axis axis = a[i].known() || !b[i].known() ? a[i] : b[i];
    axis.name = a[i].name.empty() ? b[i].name : a[i].name;
    if (a[i].known() && b[i].known() && a[i].size != b[i].size)
      return Error{codes::size_mismatch, axis.name.empty() ? "axis " + std::to_string(i) : axis.name,
                   to_string(a) + " and " + to_string(b) + " differ: " + std::to_string(a[i].size) + " against " +
                       std::to_string(b[i].size) + ".",
                   "Make the sizes equal."};
    if (!axis.known() && axis.symbol.empty()) axis.symbol = b[i].symbol;
    axes.push_back(std::move(axis));
  }
  return Shape(std::move(axes));
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.rank(), b.rank());
  std::vector<Axis> axes(rank);
  for (size_t i = 0; i < rank; ++i) {
    Axis& out = axes[rank - 1 - i];
    if (i >= b.rank()) {
      out = a[a.rank() - 1 - i];
    } else if (i >= a.rank()) {
      out = b[b.rank() - 1 - i];
    } else if (!broadcast_axis(a[a.rank() - 1 - i], b[b.rank() - 1 - i], &out)) {
      return cannot_broadcast(to_string(a), to_string(b));
    }
  }
  return Shape(std::move(axes));
}

Result<Dims> broadcast(const Dims& a, const Dims& b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return cannot_broadcast(to_string(a), to_string(b));
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace hw
