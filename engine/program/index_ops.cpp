#include "engine/program/index_ops.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "engine/core/codes.h"

namespace hw::index_ops {
namespace {

Val number(OpBuilder& b, DType dtype, double value) {
  return b.constant(Tensor::from_f64(dtype, {}, {{value}}));
}

// Axis `from` moved to `to`, the others in their order.
std::vector<int> moved(int rank, int from, int to) {
  std::vector<int> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

// Rows of a table of any dtype.
Val rows(OpBuilder& b, Val table, Val index) {
  const DType dtype = b[table].dtype;
  if (info(dtype).is_float) return b.gather(table, index);
  return b.cast(b.gather(b.cast(table, DType::f64), index), dtype);
}

}  // namespace

Val counted(OpBuilder& b, DType dtype, int64_t count, int rank, int axis) {
  std::vector<double> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  Dims dims(static_cast<size_t>(rank), 1);
  dims[static_cast<size_t>(axis)] = count;
  return b.constant(Tensor::from_f64(dtype, std::move(dims), numbers));
}

Val from_the_end(OpBuilder& b, Val index, int64_t size) {
  if (!b.status()) return {};
  if (b[index].dtype == DType::u8) return index;
  const Val at = b.cast(index, DType::f64);
  const Val below = b.compare(CompareFn::less, at, number(b, DType::f64, 0));
  return b.cast(b.where(below, b.add(at, number(b, DType::f64, static_cast<double>(size))), at), DType::i64);
}

void refuse_beyond(OpBuilder& b, Val index, int64_t size, const char* socket, const char* what) {
  if (!b.status() || b[index].below <= size) return;
  const std::string wanted = std::to_string(b[index].below);
  b.fail({codes::size_mismatch, b.node() + "." + socket,
          "The data set has " + wanted + " classes or characters, but there are " + std::to_string(size) + " " + what +
              ": numbers above " + std::to_string(size - 1) + " would give NaN.",
          "Make " + wanted + " " + what + ", or read a data set with fewer."});
}

Val taken(OpBuilder& b, Val x, Val index, int axis) {
  if (!b.status()) return {};
  const auto rank = static_cast<int>(b[x].dims.size()), places = static_cast<int>(b[index].dims.size());
  if (axis == 0) return rows(b, x, index);
  // [index.., before.., behind..] → [before.., index.., behind..]
  const Val y = rows(b, b.transpose(x, moved(rank, axis, 0)), index);
  std::vector<int> order;
  for (int d = 0; d < axis; ++d) order.push_back(places + d);
  for (int d = 0; d < places; ++d) order.push_back(d);
  for (int d = axis; d < rank - 1; ++d) order.push_back(places + d);
  return b.transpose(y, std::move(order));
}

Val taken_along(OpBuilder& b, Val x, Val index, int axis) {
  if (!b.status()) return {};
  const auto rank = static_cast<int>(b[x].dims.size());
  const std::vector<int> to_last = moved(rank, axis, rank - 1), back = moved(rank, rank - 1, axis);
  const Val lines = b.transpose(x, to_last), places = b.transpose(index, to_last);
  if (!b.status()) return {};
  const int64_t length = b[lines].dims.back();
  Dims each = b[places].dims;
  const int64_t lines_count = element_count({each.begin(), each.end() - 1});
  // Element `place` of line n lies at n · length + place; outside of its line: nowhere.
  const Val at = b.reshape(b.cast(places, DType::f64), {lines_count, each.back()});
  const Val inside = b.compare(CompareFn::equal, at, b.clamp(at, 0, static_cast<double>(length - 1)));
  const Val starts = b.scale(counted(b, DType::f64, lines_count, 2, 0), static_cast<double>(length));
  const Val flat = b.where(inside, b.add(at, starts), number(b, DType::f64, -1));
  const Val taken = rows(b, b.reshape(lines, {element_count(b[lines].dims)}), b.cast(flat, DType::i64));
  const Val y = b.transpose(b.reshape(taken, std::move(each)), back);
  std::vector<int> others(to_last.begin(), to_last.end() - 1);
  b.set_same_places({y, {x, index}, std::move(others)});
  return y;
}

Top top_k(OpBuilder& b, Val x, int axis, int64_t k, bool smallest) {
  if (!b.status()) return {};
  const auto rank = static_cast<int>(b[x].dims.size());
  const int64_t size = b[x].dims[static_cast<size_t>(axis)];
  const std::vector<std::string> names = b[x].axes;
  Dims kept = b[x].dims;
  kept[static_cast<size_t>(axis)] = 1;
  // What is left to choose from, in f64 so that Inf has a place of its own above all numbers of a narrower dtype. NaN
  // is the largest: argmax takes it first, and of the smallest it comes last. What was taken is below everything.
  constexpr double lowest_of_all = std::numeric_limits<double>::lowest();
  const double bound = std::nextafter(-lowest_of_all, 0.0);
  Val left = b.stop_gradient(b.cast(x, DType::f64));
  const Val is_number = b.compare(CompareFn::equal, left, left);
  left = b.clamp(smallest ? b.unary(UnaryFn::neg, left) : left, -bound, bound);
  if (smallest) left = b.where(is_number, left, number(b, DType::f64, lowest_of_all));
  const Val places = counted(b, DType::i64, size, rank, axis);
  const Val lowest = number(b, DType::f64, -std::numeric_limits<double>::infinity());
  std::vector<Val> values, indices;
  for (int64_t i = 0; i < k && b.status(); ++i) {
    const Val index = b.argmax(left, axis), at = b.reshape(index, kept);
    values.push_back(b.reshape(b.gather_elements(x, index, axis), kept));
    indices.push_back(at);
    if (i + 1 < k) left = b.where(b.compare(CompareFn::equal, places, at), lowest, left);
  }
  if (!b.status()) return {};
  const Top top{k == 1 ? values[0] : b.concat(values, axis), k == 1 ? indices[0] : b.concat(indices, axis)};
  b.set_axes(top.values, names);
  b.set_axes(top.places, names);
  return top;
}

Largest largest(OpBuilder& b, Val x, int axis) {
  const Val place = b.argmax(x, axis), value = b.stop_gradient(b.gather_elements(x, place, axis));
  if (!b.status()) return {};
  return {place, b.cast(b.compare(CompareFn::equal, value, value), DType::f32)};
}

}  // namespace hw::index_ops
