// Parts of tensors.
#include <algorithm>
#include <array>

#include "app/interop/onnx/rules.h"
#include "engine/core/sizes.h"
#include "engine/core/tensor_rows.h"

namespace hw::interop {
namespace {

/// Elements [begin, end) of an axis.
Result<Wire> sliced(Importer& im, const Wire& x, int64_t axis, int64_t begin, int64_t end, int64_t size) {
  if (begin == 0 && end == size) return x;
  if (end <= begin) return unsupported("an empty tensor is not supported.");
  return im.add("slice", {{"x", x}}, {{"axis", axis}, {"begin", begin}, {"end", end == size ? int64_t{0} : end}});
}

Status split(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", 0)));
  HW_TRY(const WireType type, im.type(x));
  const Axis& along = type.shape[static_cast<size_t>(axis)];
  if (!along.known()) return unsupported("the size of its axis is symbolic.");
  HW_TRY(const auto parts, im.attribute_or_input(n, "split", 1));
  std::vector<int64_t> sizes = parts.value_or(std::vector<int64_t>());
  const auto count = static_cast<int64_t>(n.outputs.size());
  for (int64_t i = 0; !parts && i < count; ++i) {
    const int64_t each = (along.size + count - 1) / count;
    sizes.push_back(std::max<int64_t>(0, std::min(each, along.size - i * each)));
  }
  if (std::ranges::any_of(sizes, [&](int64_t s) { return s < 0 || s > along.size; }))
    return unsupported("its parts do not fit the axis.");
  int64_t begin = 0;
  for (size_t i = 0; i < sizes.size() && i < n.outputs.size(); ++i) {
    if (im.wants(n, i)) {
      HW_TRY(const Wire part, sliced(im, x, axis, begin, begin + sizes[i], along.size));
      im.set(n, i, part);
    }
    begin += sizes[i];
  }
  return ok();
}

/// Row index[..] of x along an axis.
Result<Wire> taken(Importer& im, const Wire& x, int64_t axis, const std::vector<int64_t>& rows) {
  HW_TRY(const Wire index, im.constant_wire(integers_of(rows)));
  return im.add("gather", {{"x", x}, {"index", index}}, {{"axis", axis}});
}

/// From `begin` on, before `end`; neither is negative, but −1 is the end of steps down.
std::vector<int64_t> places(int64_t begin, int64_t end, int64_t step) {
  std::vector<int64_t> all;
  for (int64_t at = begin; step > 0 ? at < end : at > end; at = size_sum({at, step})) all.push_back(at);
  return all;
}

/// A bound of Slice along an axis with this size, as the node slice has it: from the begin, or from the end when
/// negative. Error: it follows from a symbolic size, but not of this axis.
Result<int64_t> bound_of(int64_t here, int64_t other, const SizedDims& dims, size_t axis) {
  if (here == other) return here;
  const int64_t from_end = here - dims.here[axis];
  if (from_end == other - dims.other[axis] && from_end <= 0) return from_end;
  return unsupported("a bound follows from a symbolic size that is not its axis's.");
}

/// As many elements of an axis as `end` says, a size of another axis; from `begin` on.
Result<Wire> sliced_like(Importer& im, const Wire& x, int64_t axis, int64_t begin, const std::array<int64_t, 2>& end,
                         int64_t step) {
  HW_TRY(const auto like, im.axis_of_size(end[0], end[1]));
  return im.add("slice", {{"x", x}, {"like", like.first}},
                {{"axis", axis}, {"begin", begin}, {"step", step}, {"like_axis", like.second}});
}

/// Elements [begin, end) of an axis whose size is symbolic, or whose end is. A size beside those that are tried, of
/// which the axis has fewer, is refused by the node, where ONNX takes those that there are.
Result<Wire> sliced_by_sizes(Importer& im, const Wire& x, int64_t axis, const std::array<int64_t, 2>& begin,
                             const std::array<int64_t, 2>& end, int64_t step, const SizedDims& dims) {
  const auto d = static_cast<size_t>(axis);
  constexpr int64_t kToTheEnd = (int64_t{1} << 31) - 1;
  if (step < 1) return unsupported("it takes steps down along an axis of symbolic size.");
  const bool follows = end[0] != end[1] && begin[0] == begin[1] && begin[0] >= 0;  // the end does, a size
  if (!dims.symbolic(d) && follows) {
    // As many as there are, where the size is larger: which of both it is at other sizes is not known.
    if (end[0] > dims.here[d] || end[1] > dims.other[d])
      return im.unsuited("it takes as many elements as a symbolic size says, of an axis that may have fewer.");
    return sliced_like(im, x, axis, begin[0], end, step);
  }
  const bool whole = std::min(end[0], end[1]) >= kToTheEnd || (end[0] == dims.here[d] && end[1] == dims.other[d]);
  // The size of another axis first, whose distance from the end may be the same by chance.
  if (follows && !whole && end[0] <= dims.here[d] && end[1] <= dims.other[d])
    if (auto y = sliced_like(im, x, axis, begin[0], end, step)) return y;
  HW_TRY(const int64_t first, bound_of(begin[0], begin[1], dims, d));
  HW_TRY(const int64_t last, whole ? Result<int64_t>(0) : bound_of(end[0], end[1], dims, d));
  if (first == 0 && begin[0] != 0) return unsupported("an empty tensor is not supported.");  // it begins at the end
  if (first == 0 && last == 0 && whole && step == 1) return x;
  if (last == 0 && !whole) return unsupported("an empty tensor is not supported.");
  return im.add("slice", {{"x", x}}, {{"axis", axis}, {"begin", first}, {"end", last}, {"step", step}});
}

Status slice(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims from, sizes_in(im, n, "starts", 1));
  HW_TRY(const SizedDims to, sizes_in(im, n, "ends", 2));
  HW_TRY(const auto axes, im.attribute_or_input(n, "axes", 3));
  HW_TRY(const auto steps, im.attribute_or_input(n, "steps", 4));
  const std::optional<Dims> starts = from.here, ends = to.here;
  const bool one = starts->size() == 1 && ends->size() == 1 && (!steps || steps->size() == 1) && !from.symbolic(0) &&
                   !to.symbolic(0);
  if (const Tensor* value = im.constant(n, 0);
      value && value->dims().size() == 1 && !info(value->dtype()).is_float && one) {
    const int64_t size = value->size(), step = steps ? steps->front() : 1;
    const auto clamped = [&](int64_t at, int64_t lo, int64_t hi) {
      return std::clamp(at < 0 ? at + size : at, lo, hi);
    };
    if (step == 0) return unsupported("a step of 0.");
    const bool up = step > 0;
    const int64_t begin = up ? clamped(starts->front(), 0, size) : clamped(starts->front(), -1, size - 1);
    const int64_t end = up                      ? clamped(ends->front(), 0, size)
                        : ends->front() < -size ? -1
                                                : clamped(ends->front(), -1, size - 1);
    im.set(n, 0, rows_of(*value, places(begin, end, step)));
    return ok();
  }
  HW_TRY(Wire x, im.in(n, 0));
  for (size_t i = 0; i < starts->size(); ++i) {
    if (i >= ends->size() || (axes && i >= axes->size()) || (steps && i >= steps->size()))
      return unsupported("its starts, ends, axes and steps are not as many.");
    HW_TRY(const int64_t axis, im.axis(x, axes ? (*axes)[i] : static_cast<int64_t>(i)));
    HW_TRY(const WireType type, im.type(x));
    const Axis& along = type.shape[static_cast<size_t>(axis)];
    const int64_t step = steps ? (*steps)[i] : 1, size = along.size;
    if (!along.known() || from.symbolic(i) || to.symbolic(i)) {
      HW_TRY(const SizedDims dims, im.sized_dims(x));
      constexpr int64_t kToTheBegin = -(int64_t{1} << 31);
      if (step == -1 && from.here[i] == -1 && from.other[i] == -1 && to.here[i] <= kToTheBegin) {
        HW_TRY(x, im.add("flip", {{"x", x}}, {{"axes", std::vector<double>{static_cast<double>(axis)}}}));
        continue;
      }
      HW_TRY(x, sliced_by_sizes(im, x, axis, {from.here[i], from.other[i]}, {to.here[i], to.other[i]}, step, dims));
      continue;
    }
    if (step == 0) return unsupported("a step of 0.");
    const int64_t begin = (*starts)[i] < 0 ? (*starts)[i] + size : (*starts)[i],
                  end = (*ends)[i] < 0 ? (*ends)[i] + size : (*ends)[i];
    if (step == 1) {
      HW_TRY(x, sliced(im, x, axis, std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size), size));
      continue;
    }
    if (size > kMost) return unsupported("a very large axis.");
    const std::vector<int64_t> rows =
        step > 0 ? places(std::clamp<int64_t>(begin, 0, size), std::min(end, size), step)
                 : places(std::clamp<int64_t>(begin, -1, size - 1), std::max<int64_t>(end, -1), step);
    if (rows.empty()) return unsupported("an empty tensor is not supported.");
    HW_TRY(x, taken(im, x, axis, rows));
  }
  im.set(n, 0, x);
  return ok();
}

}  // namespace

std::span<const RuleRow> part_rules() {
  static constexpr RuleRow kRows[]{{"Slice", slice}, {"Split", split}};
  return kRows;
}

}  // namespace hw::interop
