// The same elements under other sizes.
#include <algorithm>
#include <ranges>

#include "app/interop/onnx/rules.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

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

/// The fewest axes that become others each. Empty: they cannot be distinguished.
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
  HW_TRY(const SizedDims from, im.sized_dims(n, 0));
  const auto rank = std::ssize(from.here);
  int64_t axis = n.integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return unsupported("axis " + std::to_string(axis) + " is not there.");
  const auto sides = [&](const Dims& dims) {
    const auto middle = dims.begin() + static_cast<std::ptrdiff_t>(axis);
    return Dims{element_count({dims.begin(), middle}), element_count({middle, dims.end()})};
  };
  const SizedDims to{sides(from.here), sides(from.other)};
  if (!to.symbolic(0) || !to.symbolic(1))
    return reshaped(im, n, {to.symbolic(0) ? -1 : to.here[0], to.symbolic(1) ? -1 : to.here[1]});
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, viewed(im, x, from, to));
  im.set(n, 0, y);
  return ok();
}

Status squeeze(Importer& im, const OnnxNode& n) {
  HW_TRY(const auto axes, im.attribute_or_input(n, "axes", 1));
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  const auto rank = static_cast<int64_t>(dims.size());
  if (!axes && std::ranges::count(dims, -1) > 0)
    return unsupported("it takes away axes of size 1, and one is symbolic.");
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

}  // namespace

std::span<const RuleRow> reshape_rules() {
  static constexpr RuleRow kRows[]{
      {"Flatten", flatten}, {"Reshape", reshape}, {"Squeeze", squeeze}, {"Unsqueeze", unsqueeze}};
  return kRows;
}

}  // namespace hw::interop
