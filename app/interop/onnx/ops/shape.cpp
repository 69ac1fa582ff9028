// Sizes, axes and parts of tensors.
#include <algorithm>
#include <array>
#include <ranges>

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

/// Whole numbers that attribute `name` or input i has, in either graph.
Result<SizedDims> sizes_in(Importer& im, const OnnxNode& n, const std::string& name, size_t i) {
  if (n.has(name)) return SizedDims{n.integers(name), n.integers(name)};
  const auto value = im.sized(n, i);
  if (!value) return unsupported("\"" + name + "\" is computed of what the graph is given.");
  const Tensor here = value->here.to(DType::i64), other = value->other.to(DType::i64);
  if (here.size() != other.size()) return unsupported("its number of axes is symbolic.");
  return SizedDims{{here.as<int64_t>(), here.as<int64_t>() + here.size()},
                   {other.as<int64_t>(), other.as<int64_t>() + other.size()}};
}

/// What Reshape makes of these sizes: 0 copies that of the axis in its place where it `copies`, −1 is what is left.
Result<Dims> resolved(Dims sizes, const Dims& from, bool copies) {
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < -1; })) return unsupported("a size is negative.");
  int64_t known = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0 && copies) {
      if (i >= from.size()) return unsupported("it keeps a size that is not there.");
      sizes[i] = from[i];
    }
    if (sizes[i] != -1) known = size_product({known, sizes[i]});
  }
  const int64_t count = element_count(from);
  if (count == 0) return unsupported("an empty tensor is not supported.");
  if (std::ranges::count(sizes, -1) > 1) return unsupported("two sizes are not known.");
  for (int64_t& size : sizes)
    if (size == -1 && known > 0 && count % known == 0) size = count / known;
  if (std::ranges::count(sizes, -1) > 0 || element_count(sizes) != count) return unsupported("its sizes do not fit.");
  return sizes;
}

/// Neighbouring axes [first, last) that become others.
struct Regrouped {
  size_t from_first, from_last, to_first, to_last;
};

/// The fewest axes that become others each. Empty: they cannot be told apart.
std::vector<Regrouped> regrouped(const SizedDims& from, const SizedDims& to) {
  std::vector<Regrouped> groups;
  size_t i = 0, j = 0;
  while (i < from.here.size() && j < to.here.size()) {
    Regrouped g{i, i + 1, j, j + 1};
    int64_t from_here = from.here[i], from_other = from.other[i], to_here = to.here[j], to_other = to.other[j];
    while (from_here != to_here || from_other != to_other) {
      const bool more_from = from_other < to_other || (from_other == to_other && from_here < to_here);
      size_t& last = more_from ? g.from_last : g.to_last;
      const SizedDims& side = more_from ? from : to;
      if (last >= side.here.size()) return {};
      int64_t &here = more_from ? from_here : to_here, &other = more_from ? from_other : to_other;
      here = size_product({here, side.here[last]});
      other = size_product({other, side.other[last]});
      ++last;
    }
    i = g.from_last;
    j = g.to_last;
    groups.push_back(g);
  }
  if (!groups.empty()) {  // axes of size 1 that are left over
    groups.back().from_last = from.here.size();
    groups.back().to_last = to.here.size();
  }
  return groups;
}

/// The axis of x split into sizes of which several are symbolic.
Result<Wire> unflattened(Importer& im, Wire x, size_t axis, SizedDims sizes) {
  const auto at = static_cast<int64_t>(axis);
  const auto symbolic = [&] {
    std::vector<size_t> places;
    for (size_t d = 0; d < sizes.here.size(); ++d)
      if (sizes.symbolic(d)) places.push_back(d);
    return places;
  };
  // The last axes first, two symbolic sizes at a time.
  while (symbolic().size() > 2) {
    const size_t cut = symbolic()[1];
    SizedDims front{{sizes.here.begin(), sizes.here.begin() + static_cast<int64_t>(cut)},
                    {sizes.other.begin(), sizes.other.begin() + static_cast<int64_t>(cut)}};
    const SizedDims behind{{sizes.here.begin() + static_cast<int64_t>(cut), sizes.here.end()},
                           {sizes.other.begin() + static_cast<int64_t>(cut), sizes.other.end()}};
    front.here.push_back(element_count(behind.here));
    front.other.push_back(element_count(behind.other));
    HW_TRY(x, unflattened(im, x, axis, front));
    return unflattened(im, x, axis + cut, behind);
  }
  const std::vector<size_t> open = symbolic();
  std::vector<double> asked = numbers(sizes.here);
  Wires inputs{{"x", x}};
  ParamMap params{{"axis", at}};
  if (open.size() == 2) {
    HW_TRY(const auto like, im.axis_of_size(sizes.here[open[0]], sizes.other[open[0]]));
    asked[open[0]] = 0;
    inputs.emplace_back("like", like.first);
    params["like_axis"] = like.second;
  }
  if (!open.empty()) asked[open.back()] = -1;
  params["sizes"] = asked;
  return im.add("unflatten", inputs, params);
}

/// x under other sizes, of which several are symbolic: axes are joined and split where they have to be.
Result<Wire> viewed(Importer& im, Wire x, const SizedDims& from, const SizedDims& to) {
  const std::vector<Regrouped> groups = regrouped(from, to);
  if (groups.empty()) return unsupported("two of its sizes are symbolic, and it is not clear which axes they are of.");
  for (const Regrouped& g : std::views::reverse(groups)) {
    const auto first = static_cast<int64_t>(g.from_first);
    if (g.from_last > g.from_first + 1) {
      HW_TRY(x, im.add("flatten", {{"x", x}}, {{"first", first}, {"last", static_cast<int64_t>(g.from_last) - 1}}));
    }
    if (g.to_last == g.to_first + 1) continue;
    const auto part = [&](const Dims& dims) {
      return Dims(dims.begin() + static_cast<int64_t>(g.to_first), dims.begin() + static_cast<int64_t>(g.to_last));
    };
    HW_TRY(x, unflattened(im, x, g.from_first, {part(to.here), part(to.other)}));
  }
  return x;
}

Status reshape(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims wanted, sizes_in(im, n, "shape", 1));
  HW_TRY(const SizedDims from, im.sized_dims(n, 0));
  const bool copies = n.integer("allowzero", 0) == 0;
  SizedDims to;
  HW_TRY(to.here, resolved(wanted.here, from.here, copies));
  HW_TRY(to.other, resolved(wanted.other, from.other, copies));
  Dims sizes = to.here;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (to.symbolic(d)) sizes[d] = -1;
  if (std::ranges::count(sizes, -1) <= 1) return reshaped(im, n, sizes);
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, viewed(im, x, from, to));
  im.set(n, 0, y);
  return ok();
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
    HW_TRY(const Wire rows, im.indices(std::min(end[0], dims.here[d]), std::min(end[1], dims.other[d])));
    return im.add("gather", {{"x", x}, {"index", rows}}, {{"axis", axis}});
  }
  HW_TRY(const int64_t first, bound_of(begin[0], begin[1], dims, d));
  const bool whole = std::min(end[0], end[1]) >= kToTheEnd || (end[0] == dims.here[d] && end[1] == dims.other[d]);
  HW_TRY(const int64_t last, whole ? Result<int64_t>(0) : bound_of(end[0], end[1], dims, d));
  if (first == 0 && begin[0] == 0 && last == 0 && whole) return x;
  if (last == 0 && !whole) return unsupported("an empty tensor is not supported.");
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
  if (const Tensor* value = im.constant(n, 0); value && value->dims().size() == 1 && one) {
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

Status expand(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims wanted, sizes_in(im, n, "shape", 1));
  HW_TRY(const SizedDims dims, im.sized_dims(n, 0));
  HW_TRY(Wire x, im.in(n, 0));
  const size_t rank = std::max(wanted.here.size(), dims.here.size());
  const size_t more = rank - dims.here.size(), unasked = rank - wanted.here.size();
  std::vector<double> sizes(rank, -1);
  std::vector<size_t> symbolic;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t is = d < more ? 1 : dims.here[d - more], is_other = d < more ? 1 : dims.other[d - more];
    const int64_t asked = d < unasked ? 1 : wanted.here[d - unasked],
                  asked_other = d < unasked ? 1 : wanted.other[d - unasked];
    if (asked == asked_other && asked != 1) sizes[d] = static_cast<double>(asked);
    if (asked == asked_other || (asked == is && asked_other == is_other)) continue;
    if (is != 1 || is_other != 1) return unsupported("it stretches an axis that is not of size 1.");
    symbolic.push_back(d);
  }
  const bool as_it_is = more == 0 && std::ranges::count(sizes, -1) == static_cast<int64_t>(rank);
  if (!as_it_is || symbolic.empty()) {
    HW_TRY(x, im.add("expand", {{"x", x}}, {{"shape", sizes}}));
  }
  for (const size_t d : symbolic) {
    HW_TRY(x, im.stretched(x, static_cast<int64_t>(d), wanted.here[d - unasked], wanted.other[d - unasked]));
  }
  im.set(n, 0, x);
  return ok();
}

Status tile(Importer& im, const OnnxNode& n) {
  HW_TRY(SizedDims repeats, sizes_in(im, n, "repeats", 1));
  HW_TRY(const SizedDims dims, im.sized_dims(n, 0));
  HW_TRY(Wire x, im.in(n, 0));
  for (size_t d = 0; d < std::min(repeats.here.size(), dims.here.size()); ++d) {
    if (!repeats.symbolic(d)) continue;
    if (dims.here[d] != 1 || dims.other[d] != 1) return unsupported("it repeats an axis a symbolic number of times.");
    HW_TRY(x, im.stretched(x, static_cast<int64_t>(d), repeats.here[d], repeats.other[d]));
    repeats.here[d] = 1;
  }
  HW_TRY(const Wire y, im.add("tile", {{"x", x}}, {{"repeats", numbers(repeats.here)}}));
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
  const bool blocks_first = n.text("mode", "DCR") == "DCR";
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
