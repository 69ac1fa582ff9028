// Sizes, axes and parts of tensors.
#include <algorithm>

#include "app/interop/onnx/rules.h"
#include "engine/core/sizes.h"
#include "engine/core/tensor_rows.h"
#include "engine/node/many_inputs.h"

namespace hw::interop {
namespace {

std::vector<double> numbers(const std::vector<int64_t>& whole) {
  return {whole.begin(), whole.end()};
}

/// A node on input 0, or the same of a constant, which stays one.
Status reshaped(Importer& im, const OnnxNode& n, const std::vector<int64_t>& sizes) {
  if (const Tensor* value = im.constant(n, 0); value && !std::ranges::count(sizes, -1)) {
    const bool sound = std::ranges::all_of(sizes, [](int64_t size) { return size >= 0 && size <= kMost; });
    if (!sound || element_count(sizes) != value->size()) return unsupported("its sizes do not fit.");
    im.set(n, 0, value->reshaped(sizes));
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("reshape", {{"x", x}}, {{"shape", numbers(sizes)}}));
  im.set(n, 0, y);
  return ok();
}

constexpr int64_t kKept = -2;  // among sizes: a symbolic one that stays in its place

Status reshape(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto wanted, im.attribute_or_input(n, "shape", 1));
  if (!wanted) return unsupported("its shape is not given.");
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  std::vector<int64_t> sizes = *wanted;
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < -1; })) return unsupported("a size is negative.");
  // A symbolic size that is kept is on both sides: what is left follows from the others.
  auto symbolic = std::ranges::count(dims, -1);
  int64_t whole = 1, others = 1;
  for (const int64_t size : dims) whole = size_product({whole, size == -1 ? 1 : size});
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool keeps = sizes[i] == 0 && n.integer("allowzero", 0) == 0;
    if (!keeps) {
      others = size_product({others, sizes[i] == -1 ? 1 : sizes[i]});
      continue;
    }
    if (i >= dims.size()) return unsupported("it keeps a size that is not there.");
    if (dims[i] == -1)
      --symbolic;
    else
      others = size_product({others, dims[i]});
    sizes[i] = dims[i] == -1 ? kKept : dims[i];
  }
  if (symbolic == 0 && whole == 0) return unsupported("an empty tensor is not supported.");
  for (int64_t& size : sizes)
    if (size == -1 && symbolic == 0 && others > 0) size = whole / others;
  std::ranges::replace(sizes, kKept, int64_t{-1});
  if (std::ranges::count(sizes, -1) > 1) return unsupported("two sizes are not known.");
  return reshaped(im, n, sizes);
}

Status flatten(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType type, im.type(x));
  const auto rank = static_cast<int64_t>(type.shape.rank());
  int64_t axis = n.integer("axis", 1);
  if (axis < 0) axis += rank;
  HW_TRY(const Dims open, im.open_dims(n, 0));
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t& side = d < axis ? rows : columns;
    const int64_t size = open[static_cast<size_t>(d)];
    side = size < 0 || side < 0 ? -1 : size_product({side, size});
  }
  if (rows < 0 && columns < 0) return unsupported("sizes are symbolic on both sides.");
  return reshaped(im, n, {rows, columns});
}

Status transpose(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("transpose", {{"x", x}}, {{"axes", numbers(n.integers("perm"))}}));
  im.set(n, 0, y);
  return ok();
}

Status squeeze(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto axes, im.attribute_or_input(n, "axes", 1));
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  const auto rank = static_cast<int64_t>(dims.size());
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const bool named = axes && (std::ranges::count(*axes, d) || std::ranges::count(*axes, d - rank));
    const bool goes = axes ? named : dims[static_cast<size_t>(d)] == 1;
    if (!goes) sizes.push_back(dims[static_cast<size_t>(d)]);
  }
  if (std::ranges::count(sizes, -1) <= 1) return reshaped(im, n, sizes);
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("squeeze", {{"x", x}}, {{"axes", axes ? numbers(*axes) : std::vector<double>{}}}));
  im.set(n, 0, y);
  return ok();
}

Status unsqueeze(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto axes, im.attribute_or_input(n, "axes", 1));
  if (!axes) return unsupported("its axes are not given.");
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  const size_t rank = dims.size() + axes->size();
  std::vector<int64_t> sizes(rank, 0);
  for (const int64_t axis : *axes) {
    const int64_t at = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (at < 0 || at >= static_cast<int64_t>(rank) || sizes[static_cast<size_t>(at)] == 1)
      return unsupported("an axis is not there, or there twice.");
    sizes[static_cast<size_t>(at)] = 1;
  }
  size_t next = 0;
  for (int64_t& size : sizes)
    if (size == 0) size = dims[next++];
  if (std::ranges::count(sizes, -1) <= 1) return reshaped(im, n, sizes);
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("unsqueeze", {{"x", x}}, {{"axes", numbers(*axes)}}));
  im.set(n, 0, y);
  return ok();
}

Status concat(Importer& im, const OnnxNode& n) {
  std::vector<const Tensor*> constants;
  for (size_t i = 0; i < n.inputs.size(); ++i)
    if (const Tensor* value = im.constant(n, i)) constants.push_back(value);
  const bool lists = std::ranges::all_of(constants, [](const Tensor* t) { return t->dims().size() == 1; });
  const auto alike = [&](const Tensor* t) { return t->dtype() == constants.front()->dtype(); };
  if (!constants.empty() && constants.size() == n.inputs.size() && lists && std::ranges::all_of(constants, alike)) {
    Tensor joined = *constants.front();
    for (size_t i = 1; i < constants.size(); ++i) joined = joined_rows(joined, *constants[i]);
    im.set(n, 0, std::move(joined));
    return ok();
  }
  if (n.inputs.size() == 1) {
    HW_TRY(const Wire x, im.in(n, 0));
    im.set(n, 0, x);
    return ok();
  }
  Wires inputs;
  const std::vector<std::string> sockets = shapes::input_ids_up_to(n.inputs.size());
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    HW_TRY(const Wire x, im.in(n, i));
    inputs.emplace_back(sockets[i], x);
  }
  HW_TRY(const Wire y,
         im.add("concat", inputs, {{"axis", n.integer("axis", 1)}, {"inputs", static_cast<int64_t>(n.inputs.size())}}));
  im.set(n, 0, y);
  return ok();
}

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

Status slice(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto starts, im.attribute_or_input(n, "starts", 1));
  HW_TRY(const auto ends, im.attribute_or_input(n, "ends", 2));
  HW_TRY(const auto axes, im.attribute_or_input(n, "axes", 3));
  HW_TRY(const auto steps, im.attribute_or_input(n, "steps", 4));
  if (!starts || !ends) return unsupported("its ends are not given.");
  const bool one = starts->size() == 1 && ends->size() == 1 && (!steps || steps->size() == 1);
  if (const Tensor* value = im.constant(n, 0); value && value->dims().size() == 1 && one) {
    const int64_t size = value->size(), step = steps ? steps->front() : 1;
    const auto clamped = [&](int64_t at, int64_t lo, int64_t hi) {
      return std::clamp(at < 0 ? at + size : at, lo, hi);
    };
    if (step == 0) return unsupported("a step of 0.");
    const bool up = step > 0;
    const int64_t from = up ? clamped(starts->front(), 0, size) : clamped(starts->front(), -1, size - 1);
    const int64_t to = up                      ? clamped(ends->front(), 0, size)
                       : ends->front() < -size ? -1
                                               : clamped(ends->front(), -1, size - 1);
    im.set(n, 0, rows_of(*value, places(from, to, step)));
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
    if (!along.known()) {
      if ((*starts)[i] == 0 && step == 1 && (*ends)[i] >= (int64_t{1} << 31) - 1) continue;
      return unsupported("the size of its axis is symbolic.");
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

Status expand(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto wanted, im.integers(n, 1));
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  std::vector<int64_t> sizes(std::max(wanted.size(), dims.size()), 1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t from_end = sizes.size() - i;
    const int64_t is = from_end <= dims.size() ? dims[dims.size() - from_end] : 1,
                  asked = from_end <= wanted.size() ? wanted[wanted.size() - from_end] : 1;
    sizes[i] = asked == 1 ? is : asked;
  }
  HW_TRY(const Wire y, im.add("expand", {{"x", x}}, {{"shape", numbers(sizes)}}));
  im.set(n, 0, y);
  return ok();
}

Status tile(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto repeats, im.integers(n, 1));
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("tile", {{"x", x}}, {{"repeats", numbers(repeats)}}));
  im.set(n, 0, y);
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

Status depth_to_space(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const bool inverse = n.op == "SpaceToDepth";
  // ONNX numbers the channels of space-to-depth by blocks first, as DCR does.
  const bool blocks_first = inverse || n.text("mode", "DCR") == "DCR";
  HW_TRY(const Wire y, im.add("depth_to_space", {{"x", x}},
                              {{"block", n.integer("blocksize", 1)},
                               {"order", std::string(blocks_first ? "blocks_first" : "channels_first")},
                               {"inverse", inverse}}));
  im.set(n, 0, y);
  return ok();
}

Status trilu(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const auto k, im.number(n, 1));
  constexpr auto most = static_cast<double>(kMost);
  const auto diagonal = static_cast<int64_t>(std::clamp(k.value_or(0), -most, most));
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire y,
         im.add("triangle", {{"x", wide}},
                {{"keep", std::string(n.integer("upper", 1) != 0 ? "upper" : "lower")}, {"diagonal", diagonal}}));
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

}  // namespace

std::span<const RuleRow> shape_rules() {
  static constexpr RuleRow kRows[]{
      {"Concat", concat}, {"DepthToSpace", depth_to_space},
      {"Expand", expand}, {"Flatten", flatten},
      {"Pad", pad},       {"Reshape", reshape},
      {"Slice", slice},   {"SpaceToDepth", depth_to_space},
      {"Split", split},   {"Squeeze", squeeze},
      {"Tile", tile},     {"Transpose", transpose},
      {"Trilu", trilu},   {"Unsqueeze", unsqueeze},
  };
  return kRows;
}

}  // namespace hw::interop
