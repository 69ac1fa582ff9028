// Operators whose outputs are as long as values say: computed where the values are known when a model is read.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

constexpr int64_t kMostSorted = 1 << 20;  // elements of a table whose rows are distinguished

Error depends_on_values() {
  return unsupported("the size of its output depends on values that are not known before it runs.");
}

/// Places of elements that are not 0, in the order of the elements: i64 [rank, count]. A number has one axis.
Status non_zero(Importer& im, const OnnxNode& n) {
  const Tensor* x = im.bound(n, 0);
  if (!x) return depends_on_values();
  const Dims dims = x->dims().empty() ? Dims{1} : x->dims();
  const std::vector<double> values = x->to_f64();
  std::vector<int64_t> found;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) found.push_back(static_cast<int64_t>(i));
  Tensor places(DType::i64, {std::ssize(dims), std::ssize(found)});
  int64_t behind = 1;
  for (size_t d = dims.size(); d-- > 0; behind *= dims[d])
    for (size_t k = 0; k < found.size(); ++k) places.as<int64_t>()[d * found.size() + k] = found[k] / behind % dims[d];
  im.set(n, 0, std::move(places));
  return ok();
}

/// Rows along an axis, or elements of the whole, that a constant condition takes.
Status compress(Importer& im, const OnnxNode& n) {
  const Tensor* condition = im.bound(n, 1);
  if (!condition) return depends_on_values();
  std::vector<int64_t> rows;
  const std::vector<double> taken = condition->to_f64();
  for (size_t i = 0; i < taken.size(); ++i)
    if (taken[i] != 0) rows.push_back(static_cast<int64_t>(i));
  HW_TRY(Wire x, im.in(n, 0));
  int64_t axis = 0;
  if (n.has("axis")) {
    HW_TRY(axis, im.axis(x, n.integer("axis", 0)));
  } else {
    HW_TRY(x, im.add("reshape", {{"x", x}}, {{"shape", std::vector<double>{-1}}}));
  }
  HW_TRY(const Dims dims, im.open_dims(x));
  const int64_t size = dims[static_cast<size_t>(axis)];
  if (size < 0) return unsupported("the size of its axis is symbolic.");
  if (std::ssize(taken) > size) return unsupported("its condition is longer than its axis.");
  if (rows.empty()) return unsupported("an empty tensor is not supported.");
  HW_TRY(const Wire index, im.constant_wire(integers_of(rows)));
  HW_TRY(const Wire y, im.add("gather", {{"x", x}, {"index", index}}, {{"axis", axis}}));
  im.set(n, 0, y);
  return ok();
}

struct Box {
  float low[2], high[2];
  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

/// Four numbers: two corners, in any order, or with `centred` the centre and the sizes.
Box box_of(const float* at, bool centred) {
  Box box;
  for (const int d : {0, 1}) {
    const float a = at[d], b = at[d + 2];
    box.low[d] = centred ? a - b / 2 : std::min(a, b);
    box.high[d] = centred ? a + b / 2 : std::max(a, b);
  }
  return box;
}

/// The share that two boxes have in common is larger. A box without an area has nothing in common.
bool overlap(const Box& a, const Box& b, float share) {
  float common = 1;
  for (const int d : {0, 1}) {
    const float length = std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]);
    if (!(length > 0)) return false;
    common *= length;
  }
  const float of_a = a.area(), of_b = b.area(), both = of_a + of_b - common;
  return of_a > 0 && of_b > 0 && both > 0 && common / both > share;
}

/// The box with the highest score among those that overlap, the first of equals: i64 [count, 3], picture, class, box.
Status non_max_suppression(Importer& im, const OnnxNode& n) {
  const Tensor *boxes = im.bound(n, 0), *scores = im.bound(n, 1);
  if (!boxes || !scores) return depends_on_values();
  double limits[3]{0, 0, 0};
  for (size_t i = 0; i < 3; ++i) {
    if (!im.has(n, i + 2)) continue;
    const Tensor* limit = im.bound(n, i + 2);
    if (!limit) return depends_on_values();
    if (limit->size() != 1) return unsupported("a limit of it is no single number.");
    limits[i] = limit->to_f64().front();
  }
  const Dims &of_boxes = boxes->dims(), &of_scores = scores->dims();
  if (of_boxes.size() != 3 || of_boxes[2] != 4 || of_scores.size() != 3 || of_scores[0] != of_boxes[0] ||
      of_scores[2] != of_boxes[1])
    return unsupported("its boxes are not [N, B, 4], or its scores not [N, C, B].");
  const int64_t count = of_boxes[1];
  if (count > 1 << 14) return unsupported("more than 16384 boxes.");
  const Tensor corners = boxes->to(DType::f32), ranks = scores->to(DType::f32);
  const bool centred = n.integer("center_point_box", 0) != 0;
  std::vector<int64_t> kept;
  for (int64_t row = 0; row < of_scores[0] * of_scores[1]; ++row) {
    const int64_t picture = row / of_scores[1];
    const float* score = ranks.as<float>() + row * count;
    std::vector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      if (!std::isnan(score[i]) && (!im.has(n, 4) || score[i] > static_cast<float>(limits[2]))) order.push_back(i);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return score[a] > score[b]; });
    std::vector<Box> of_class;
    for (const int64_t i : order) {
      if (static_cast<double>(of_class.size()) >= limits[0]) break;
      const Box box = box_of(corners.as<float>() + (picture * count + i) * 4, centred);
      const auto hides = [&](const Box& other) { return overlap(box, other, static_cast<float>(limits[1])); };
      if (std::ranges::any_of(of_class, hides)) continue;
      of_class.push_back(box);
      kept.insert(kept.end(), {picture, row % of_scores[1], i});
    }
  }
  im.set(n, 0, integers_of(kept).reshaped({std::ssize(kept) / 3, 3}));
  return ok();
}

/// A constant's slices along an axis, as elements [size, inner] in their order.
struct Slices {
  std::vector<std::vector<double>> rows;
  int64_t outer = 1, inner = 1;  // elements before and behind the axis
};

Slices slices_of(const Tensor& x, size_t axis) {
  Slices made;
  const Dims& dims = x.dims();
  for (size_t d = 0; d < dims.size(); ++d)
    if (d != axis) (d < axis ? made.outer : made.inner) *= dims[d];
  const std::vector<double> values = x.to_f64();
  made.rows.resize(static_cast<size_t>(dims[axis]));
  for (size_t i = 0; i < values.size(); ++i)
    made.rows[i / static_cast<size_t>(made.inner) % made.rows.size()].push_back(values[i]);
  return made;
}

/// The slices along `axis` that are at these places.
Tensor taken(const Tensor& x, size_t axis, const Slices& slices, const std::vector<int64_t>& places) {
  Dims dims = x.dims();
  const auto size = static_cast<size_t>(dims[axis]);
  dims[axis] = std::ssize(places);
  Tensor made(x.dtype(), dims);
  const size_t bytes = static_cast<size_t>(slices.inner) * size_of(x.dtype());
  for (size_t o = 0, next = 0; o < static_cast<size_t>(slices.outer); ++o)
    for (const int64_t place : places)
      std::memcpy(made.as<char>() + bytes * next++, x.as<char>() + bytes * (o * size + static_cast<size_t>(place)),
                  bytes);
  return made;
}

/// Elements, or slices along an axis, each once: in ascending order, or as they come; where each was first, which one
/// each is, how often each is there.
Status unique(Importer& im, const OnnxNode& n) {
  const Tensor* given = im.bound(n, 0);
  if (!given) return depends_on_values();
  if (given->size() == 0 || given->size() > kMostSorted)
    return unsupported("its input has no elements, or more than 2^20.");
  const Tensor x = n.has("axis") ? *given : given->reshaped({given->size()});
  const auto rank = std::ssize(x.dims());
  int64_t axis = n.integer("axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return unsupported("its axis is not there.");
  const Slices slices = slices_of(x, static_cast<size_t>(axis));
  for (const auto& row : slices.rows)
    for (const double value : row)
      if (std::isnan(value) || (x.dtype() == DType::i64 && std::abs(value) >= 0x1p53))
        return unsupported("it has a NaN, or a whole number of 2^53 or beyond.");
  std::map<std::vector<double>, int64_t> first;  // by the slice
  std::vector<int64_t> places;
  for (int64_t i = 0; i < std::ssize(slices.rows); ++i)
    if (first.try_emplace(slices.rows[static_cast<size_t>(i)], i).second) places.push_back(i);
  if (n.integer("sorted", 1) != 0) {
    places.clear();
    for (const auto& [row, place] : first) places.push_back(place);
  }
  std::map<int64_t, int64_t> number;  // by the first place
  for (const int64_t place : places) number.emplace(place, std::ssize(number));
  std::vector<int64_t> which, counts(places.size(), 0);
  for (const auto& row : slices.rows) {
    which.push_back(number.at(first.at(row)));
    ++counts[static_cast<size_t>(which.back())];
  }
  im.set(n, 0, taken(x, static_cast<size_t>(axis), slices, places));
  im.set(n, 1, integers_of(places));
  im.set(n, 2, integers_of(which));
  im.set(n, 3, integers_of(counts));
  return ok();
}

}  // namespace

std::span<const RuleRow> selection_rules() {
  static constexpr RuleRow kRows[]{
      {"Compress", compress}, {"NonMaxSuppression", non_max_suppression}, {"NonZero", non_zero}, {"Unique", unique}};
  return kRows;
}

}  // namespace hw::interop
