// Parts of tensors, and borders around them.
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
  std::vector<int64_t> sizes;
  if (parts) sizes = *parts;
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

/// Elements [begin, end) of an axis whose size is symbolic, or whose end is.
Result<Wire> sliced_by_sizes(Importer& im, const Wire& x, int64_t axis, const std::array<int64_t, 2>& begin,
                             const std::array<int64_t, 2>& end, const SizedDims& dims) {
  const auto d = static_cast<size_t>(axis);
  constexpr int64_t kToTheEnd = (int64_t{1} << 31) - 1;
  if (!dims.symbolic(d) && begin[0] == begin[1]) {  // as many of a longer axis as another has
    if (begin[0] != 0) return unsupported("it takes a symbolic number of elements, but not the first.");
    // As many as there are, where the size is larger: which of both it is at other sizes is not known.
    if (end[0] > dims.here[d] || end[1] > dims.other[d])
      return unsupported("it takes as many elements as a symbolic size says, of an axis that may have fewer.");
    HW_TRY(const Wire rows, im.indices(end[0], end[1]));
    return im.add("gather", {{"x", x}, {"index", rows}}, {{"axis", axis}});
  }
  HW_TRY(const int64_t first, bound_of(begin[0], begin[1], dims, d));
  const bool whole = std::min(end[0], end[1]) >= kToTheEnd || (end[0] == dims.here[d] && end[1] == dims.other[d]);
  HW_TRY(const int64_t last, whole ? Result<int64_t>(0) : bound_of(end[0], end[1], dims, d));
  if (first == 0 && begin[0] == 0 && last == 0 && whole) return x;
  if (last == 0 && !whole) return unsupported("an empty tensor is not supported.");
  if (last > 1 || first > 1) return unsupported("it takes elements that an axis of symbolic size may not have.");
  return im.add("slice", {{"x", x}}, {{"axis", axis}, {"begin", first}, {"end", last}});
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
      if (step != 1) return unsupported("it takes steps along an axis of symbolic size.");
      HW_TRY(x, sliced_by_sizes(im, x, axis, {from.here[i], from.other[i]}, {to.here[i], to.other[i]}, dims));
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

Status pad(Importer& im, const OnnxNode& n) {
  HW_TRY(Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const auto pads, im.attribute_or_input(n, "pads", 1));
  if (!pads) return unsupported("its sizes are not given.");
  HW_TRY(const Dims dims, im.open_dims(x));
  HW_TRY(const auto filled, im.number(n, 2));
  const std::string mode = n.text("mode", "constant");
  std::vector<int64_t> axes;
  if (im.has(n, 3)) {
    HW_TRY(axes, im.integers(n, 3));
  } else {
    for (size_t d = 0; d < dims.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  }
  if (pads->size() != 2 * axes.size()) return unsupported("its sizes are not two an axis.");
  std::vector<double> along, before, after;
  for (size_t i = 0; i < axes.size(); ++i) {
    HW_TRY(const int64_t axis, im.axis(x, axes[i]));
    int64_t front = (*pads)[i], behind = (*pads)[i + axes.size()];
    if (std::max(front, behind) > kMost || std::min(front, behind) < -kMost) return unsupported("very large padding.");
    const int64_t size = dims[static_cast<size_t>(axis)];
    if (front == 0 && behind == 0) continue;
    if (size < 0 && (mode != "constant" || front < 0 || behind < 0))
      return unsupported("the size of its axis is symbolic.");
    if (mode != "constant") {
      std::vector<int64_t> rows;
      for (int64_t r = -front; r < size + behind; ++r) {
        int64_t at = r;
        if (mode == "edge") at = std::clamp<int64_t>(r, 0, size - 1);
        if (mode == "wrap") at = ((r % size) + size) % size;
        if (mode == "reflect" && size > 1) {
          const int64_t period = 2 * (size - 1);
          at = ((r % period) + period) % period;
          if (at >= size) at = period - at;
        }
        rows.push_back(std::clamp<int64_t>(at, 0, size - 1));
      }
      HW_TRY(x, taken(im, x, axis, rows));
      continue;
    }
    if (front < 0 || behind < 0) {
      HW_TRY(x, sliced(im, x, axis, std::max<int64_t>(0, -front), size - std::max<int64_t>(0, -behind), size));
      front = std::max<int64_t>(0, front);
      behind = std::max<int64_t>(0, behind);
    }
    along.push_back(static_cast<double>(axis));
    before.push_back(static_cast<double>(front));
    after.push_back(static_cast<double>(behind));
  }
  if (!along.empty()) {
    HW_TRY(const Wire wide, im.as_float(x));
    HW_TRY(const Wire padded, im.add("pad", {{"x", wide}},
                                     {{"axes", along},
                                      {"before", before},
                                      {"after", after},
                                      {"value", n.has("value") ? n.real("value", 0) : filled.value_or(0)}}));
    HW_TRY(x, im.cast(padded, given.dtype));
  }
  im.set(n, 0, x);
  return ok();
}

}  // namespace

std::span<const RuleRow> part_rules() {
  static constexpr RuleRow kRows[]{{"Pad", pad}, {"Slice", slice}, {"Split", split}};
  return kRows;
}

}  // namespace hw::interop
