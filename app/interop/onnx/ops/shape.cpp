// Sizes, axes and parts of tensors. What depends on sizes alone is computed here, and is a constant of the graph.
#include <algorithm>
#include <cmath>

#include "app/interop/onnx/rules.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

constexpr int64_t kMost = 1 << 24;  // elements that are made while a model is read

std::vector<double> numbers(const std::vector<int64_t>& whole) {
  return {whole.begin(), whole.end()};
}

Tensor integers_of(const std::vector<int64_t>& values) {
  Tensor made(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), made.as<int64_t>());
  return made;
}

Error unsupported(const std::string& reason) {
  return {codes::unsupported, "", reason, ""};
}

/// A node on input 0, or the same of a constant, which stays one.
Status reshaped(Importer& im, const OnnxNode& n, const std::vector<int64_t>& sizes) {
  if (const Tensor* value = im.constant(n, 0); value && !std::ranges::count(sizes, -1)) {
    im.set(n, 0, value->reshaped(sizes));
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("reshape", {{"x", x}}, {{"shape", numbers(sizes)}}));
  im.set(n, 0, y);
  return ok();
}

/// Sizes of input 0, known or of a constant. Symbolic ones are −1.
Result<Dims> open_dims(Importer& im, const OnnxNode& n) {
  if (const Tensor* value = im.constant(n, 0)) return value->dims();
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType type, im.type(x));
  Dims dims;
  for (const Axis& axis : type.shape.axes()) dims.push_back(axis.known() ? axis.size : -1);
  return dims;
}

Status reshape(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto wanted, im.attribute_or_input(n, "shape", 1));
  if (!wanted) return unsupported("its shape is not given.");
  HW_TRY(const Dims dims, open_dims(im, n));
  std::vector<int64_t> sizes = *wanted;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 0 || n.integer("allowzero", 0) != 0) continue;
    if (i >= dims.size()) return unsupported("it keeps a size that is not there.");
    sizes[i] = dims[i];
  }
  const bool known = !std::ranges::count(dims, -1);
  int64_t whole = 1, others = 1;
  for (const int64_t size : dims) whole *= size;
  for (const int64_t size : sizes) others *= size == -1 ? 1 : size;
  if (known && whole == 0) return unsupported("an empty tensor is not supported.");
  for (int64_t& size : sizes)
    if (size == -1 && known && others > 0) size = whole / others;
  if (std::ranges::count(sizes, -1) > 1) return unsupported("two sizes are not known.");
  return reshaped(im, n, sizes);
}

Status flatten(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType type, im.type(x));
  const auto rank = static_cast<int64_t>(type.shape.rank());
  int64_t axis = n.integer("axis", 1);
  if (axis < 0) axis += rank;
  HW_TRY(const Dims open, open_dims(im, n));
  int64_t rows = 1, columns = 1;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t& side = d < axis ? rows : columns;
    side = open[static_cast<size_t>(d)] < 0 || side < 0 ? -1 : side * open[static_cast<size_t>(d)];
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
  HW_TRY(const Dims dims, open_dims(im, n));
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
  HW_TRY(const Dims dims, open_dims(im, n));
  const size_t rank = dims.size() + axes->size();
  std::vector<int64_t> sizes(rank, 0);
  for (const int64_t axis : *axes) {
    const int64_t at = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (at < 0 || at >= static_cast<int64_t>(rank)) return unsupported("an axis is not there.");
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
  if (constants.size() == n.inputs.size() && lists) {
    std::vector<double> joined;
    for (const Tensor* value : constants)
      for (const double number : value->to_f64()) joined.push_back(number);
    im.set(n, 0, Tensor::from_f64(constants.front()->dtype(), {static_cast<int64_t>(joined.size())}, joined));
    return ok();
  }
  if (n.inputs.size() == 1) {
    HW_TRY(const Wire x, im.in(n, 0));
    im.set(n, 0, x);
    return ok();
  }
  Wires inputs;
  const auto socket = [](size_t i) {
    return i < 26 ? std::string(1, static_cast<char>('a' + i))
                  : std::string(1, static_cast<char>('a' + i / 26 - 1)) + static_cast<char>('a' + i % 26);
  };
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    HW_TRY(const Wire x, im.in(n, i));
    inputs.emplace_back(socket(i), x);
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
    std::vector<double> all = value->to_f64(), kept;
    const int64_t from = up ? clamped(starts->front(), 0, size) : clamped(starts->front(), -1, size - 1);
    const int64_t to = up                      ? clamped(ends->front(), 0, size)
                       : ends->front() < -size ? -1
                                               : clamped(ends->front(), -1, size - 1);
    for (int64_t i = from; up ? i < to : i > to; i += step) kept.push_back(all[static_cast<size_t>(i)]);
    im.set(n, 0, Tensor::from_f64(value->dtype(), {static_cast<int64_t>(kept.size())}, kept));
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
    std::vector<int64_t> rows;
    if (step > 0)
      for (int64_t r = std::clamp<int64_t>(begin, 0, size); r < std::min(end, size); r += step) rows.push_back(r);
    else
      for (int64_t r = std::clamp<int64_t>(begin, -1, size - 1); r > std::max<int64_t>(end, -1); r += step)
        rows.push_back(r);
    if (rows.empty()) return unsupported("an empty tensor is not supported.");
    HW_TRY(x, taken(im, x, axis, rows));
  }
  im.set(n, 0, x);
  return ok();
}

Status expand(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto wanted, im.integers(n, 1));
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Dims dims, open_dims(im, n));
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
  HW_TRY(const Dims dims, im.dims(x));
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
    if (std::max(std::abs(front), std::abs(behind)) > kMost) return unsupported("very large padding.");
    const int64_t size = dims[static_cast<size_t>(axis)];
    if (front == 0 && behind == 0) continue;
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

Status shape(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, open_dims(im, n));
  const auto rank = static_cast<int64_t>(dims.size());
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t begin = place(n.integer("start", 0)), end = n.has("end") ? place(n.integer("end", rank)) : rank;
  std::vector<int64_t> sizes;
  for (int64_t d = begin; d < end; ++d) sizes.push_back(dims[static_cast<size_t>(d)]);
  if (std::ranges::count(sizes, -1)) return unsupported("a size is symbolic.");
  im.set(n, 0, integers_of(sizes));
  return ok();
}

Status size(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, open_dims(im, n));
  if (std::ranges::count(dims, -1)) return unsupported("a size is symbolic.");
  Tensor count(DType::i64, {});
  *count.as<int64_t>() = element_count(dims);
  im.set(n, 0, std::move(count));
  return ok();
}

Status constant(Importer& im, const OnnxNode& n) {
  if (const Tensor* value = n.tensor("value")) {
    im.set(n, 0, *value);
    return ok();
  }
  if (n.has("value_float")) {
    im.set(n, 0, Tensor::from_f64(DType::f32, {}, {{n.real("value_float", 0)}}));
    return ok();
  }
  if (n.has("value_int")) {
    Tensor value(DType::i64, {});
    *value.as<int64_t>() = n.integer("value_int", 0);
    im.set(n, 0, std::move(value));
    return ok();
  }
  if (n.has("value_ints")) {
    im.set(n, 0, integers_of(n.integers("value_ints")));
    return ok();
  }
  if (n.has("value_floats")) {
    const std::vector<double> values = n.reals("value_floats");
    im.set(n, 0, Tensor::from_f64(DType::f32, {static_cast<int64_t>(values.size())}, values));
    return ok();
  }
  return unsupported("it is text, sparse, or of a dtype that Halfwire does not have.");
}

Status constant_of_shape(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto sizes, im.integers(n, 0));
  const Tensor* value = n.tensor("value");
  const DType dtype = value ? value->dtype() : DType::f32;
  const double number = value ? value->to_f64().front() : 0;
  double whole = 1;
  for (const int64_t size : sizes) whole *= static_cast<double>(size);
  if (!(whole >= 1 && whole <= kMost)) return unsupported("it is empty, or very large.");
  const auto count = static_cast<int64_t>(whole);
  im.set(n, 0, Tensor::from_f64(dtype, sizes, std::vector<double>(static_cast<size_t>(count), number)));
  return ok();
}

Status range(Importer& im, const OnnxNode& n) {
  const Tensor *from = im.bound(n, 0), *to = im.bound(n, 1), *by = im.bound(n, 2);
  if (!from || !to || !by) return unsupported("its ends are not constant.");
  const double begin = from->to_f64().front(), end = to->to_f64().front(), step = by->to_f64().front();
  const double count = std::max(0.0, std::ceil((end - begin) / step));
  if (!(count <= kMost)) return unsupported("it is very large.");
  std::vector<double> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) values.push_back(begin + static_cast<double>(i) * step);
  im.set(n, 0, Tensor::from_f64(from->dtype(), {static_cast<int64_t>(values.size())}, values));
  return ok();
}

Status eye_like(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, open_dims(im, n));
  if (dims.size() != 2 || std::ranges::count(dims, -1)) return unsupported("its sizes are not known.");
  DType dtype = DType::f32;
  if (n.has("dtype")) {
    const int64_t number = n.integer("dtype", 1);
    dtype = number == 11 ? DType::f64 : number == 6 ? DType::i32 : number == 7 ? DType::i64 : DType::f32;
  } else if (const Tensor* value = im.constant(n, 0)) {
    dtype = value->dtype();
  } else {
    HW_TRY(const Wire x, im.in(n, 0));
    HW_TRY(const WireType type, im.type(x));
    dtype = type.dtype;
  }
  if (static_cast<double>(dims[0]) * static_cast<double>(dims[1]) > kMost) return unsupported("it is very large.");
  std::vector<double> values(static_cast<size_t>(dims[0] * dims[1]), 0);
  const int64_t k = n.integer("k", 0);
  for (int64_t r = 0; r < dims[0]; ++r)
    if (r + k >= 0 && r + k < dims[1]) values[static_cast<size_t>(r * dims[1] + r + k)] = 1;
  im.set(n, 0, Tensor::from_f64(dtype, dims, values));
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
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire y, im.add("triangle", {{"x", wide}},
                              {{"keep", std::string(n.integer("upper", 1) != 0 ? "upper" : "lower")},
                               {"diagonal", static_cast<int64_t>(k.value_or(0))}}));
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

}  // namespace

std::span<const RuleRow> shape_rules() {
  static constexpr RuleRow kRows[]{
      {"Concat", concat},
      {"Constant", constant},
      {"ConstantOfShape", constant_of_shape},
      {"DepthToSpace", depth_to_space},
      {"Expand", expand},
      {"EyeLike", eye_like},
      {"Flatten", flatten},
      {"Pad", pad},
      {"Range", range},
      {"Reshape", reshape},
      {"Shape", shape},
      {"Size", size},
      {"Slice", slice},
      {"SpaceToDepth", depth_to_space},
      {"Split", split},
      {"Squeeze", squeeze},
      {"Tile", tile},
      {"Transpose", transpose},
      {"Trilu", trilu},
      {"Unsqueeze", unsqueeze},
  };
  return kRows;
}

}  // namespace hw::interop
