// Values that follow from symbolic sizes alone: computed in each of the two graphs, and made wires where they are read
// as tensors.
#include <algorithm>

#include "app/interop/onnx/importer.h"
#include "engine/core/same_bits.h"

namespace hw::interop {
namespace {

constexpr int64_t kMostFollowed = 1 << 16, kMostMade = 1 << 22;  // elements that are read, and made

/// Begin and step of a count along one axis, all others of size 1.
struct Progression {
  size_t axis;
  double begin, step;
};

std::optional<Progression> progression(const Tensor& t) {
  const Dims& dims = t.dims();
  const auto longest = std::ranges::max_element(dims);
  if (longest == dims.end() || *longest != t.size() || t.dtype() == DType::boolean) return std::nullopt;
  const std::vector<double> values = t.to_f64();
  const Progression p{static_cast<size_t>(longest - dims.begin()), values[0],
                      values.size() > 1 ? values[1] - values[0] : 0};
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != p.begin + static_cast<double>(i) * p.step) return std::nullopt;
  return p;
}

/// The number that all elements are.
std::optional<double> number_everywhere(const Tensor& t) {
  if (t.size() == 0) return std::nullopt;
  const std::vector<double> values = t.to_f64();
  const bool same = std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  return same ? std::optional(values.front()) : std::nullopt;
}

std::optional<double> number_everywhere(const Sized& s) {
  const auto here = number_everywhere(s.here), other = number_everywhere(s.other);
  return here && other && *here == *other ? here : std::nullopt;
}

/// A count in both graphs along the same axis.
std::optional<Progression> progression(const Sized& s) {
  const auto here = progression(s.here), other = progression(s.other);
  if (!here || !other || s.here.size() < 2 || s.other.size() < 2) return std::nullopt;
  const bool same = here->begin == other->begin && here->axis == other->axis && here->step == other->step;
  return same ? here : std::nullopt;
}

/// Whether wire_of can make it one, the sizes being there.
bool can_be_wire(const Sized& s) {
  if (s.here.dims().size() != s.other.dims().size()) return false;
  return s.here.dims() == s.other.dims() || number_everywhere(s) || progression(s);
}

/// How much an operator's results in two graphs say of those at other sizes.
enum class Says : uint8_t {
  all,     // it picks, lays out or adds
  unlike,  // what differs; what is the same may be so by rounding
  nothing  // it may change over between sizes, as Max or Greater
};

Says says(const std::string& op) {
  constexpr std::string_view kAll[]{
      "Add",     "Cast", "Concat",     "ConstantOfShape", "Expand",    "Flatten", "Gather", "Identity",
      "Mul",     "Neg",  "ReduceProd", "Reshape",         "Shape",     "Size",    "Slice",  "Split",
      "Squeeze", "Sub",  "Tile",       "Transpose",       "Unsqueeze", "Where"};
  constexpr std::string_view kUnlike[]{"Ceil", "Div", "Floor", "Pow", "Range", "Reciprocal", "Round", "Sqrt"};
  return std::ranges::count(kAll, op) > 0      ? Says::all
         : std::ranges::count(kUnlike, op) > 0 ? Says::unlike
                                               : Says::nothing;
}

bool lays_out(const std::string& op) {
  constexpr std::string_view kOps[]{"Concat",  "ConstantOfShape", "Expand",    "Flatten",  "Identity",
                                    "Reshape", "Squeeze",         "Transpose", "Unsqueeze"};
  return std::ranges::count(kOps, op) > 0;
}

/// Input i says which part an operator takes, or how much it makes: where the part is the same at two sizes, both may
/// lie beyond its ends.
bool picks(const std::string& op, size_t i) {
  constexpr std::string_view kBehindData[]{"Gather", "Slice", "Split", "Squeeze", "Unsqueeze"};
  return op == "Range" || (i > 0 && std::ranges::count(kBehindData, op) > 0);
}

/// What differs between the graphs is a size, or at least above 0.
bool sizes_are_above_zero(const Sized& s) {
  const std::vector<double> here = s.here.to_f64(), other = s.other.to_f64();
  for (size_t i = 0; i < std::min(here.size(), other.size()); ++i)
    if (here[i] != other[i] && std::min(here[i], other[i]) <= 0) return false;
  return true;
}

bool none_above_zero(const Tensor& t) {
  return std::ranges::none_of(t.to_f64(), [](double value) { return value > 0; });
}

}  // namespace

std::optional<Sized> Importer::sized(const OnnxNode& n, size_t i) const {
  if (const Tensor* value = bound(n, i)) return Sized{*value, *value};
  const auto found = has(n, i) ? sized_.find(n.inputs[i]) : sized_.end();
  return found == sized_.end() ? std::nullopt : std::optional(found->second);
}

Result<SizedDims> Importer::sized_dims(const OnnxNode& n, size_t i) {
  if (const StoredTensor* value = stored(n, i)) return SizedDims{value->dims(), value->dims()};
  if (const auto found = has(n, i) ? sized_.find(n.inputs[i]) : sized_.end(); found != sized_.end())
    return SizedDims{found->second.here.dims(), found->second.other.dims()};
  if (const auto found = has(n, i) ? formulas_.find(n.inputs[i]) : formulas_.end(); found != formulas_.end())
    return SizedDims{found->second.dims, found->second.dims};
  HW_TRY(const Wire x, in(n, i));
  return sized_dims(x);
}

Result<SizedDims> Importer::sized_dims(const Wire& x) const {
  HW_CHECK(type(x));
  const auto here = validator_.output_type(x.node, x.socket), other = other_validator_.output_type(x.node, x.socket);
  return SizedDims{here->shape.dims(), other->shape.dims()};
}

bool Importer::compares_with_no_size(const OnnxNode& n) const {
  if (n.op != "Equal" || n.inputs.size() != 2) return false;
  for (const size_t i : {0, 1}) {
    const auto sizes = sized_.find(n.inputs[i]);
    const Tensor* number = sizes == sized_.end() ? nullptr : constants_.value(n.inputs[1 - i]);
    if (number) return sizes_are_above_zero(sizes->second) && none_above_zero(*number);
  }
  return false;
}

bool Importer::follow_sizes(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&)) {
  const auto is_open = [&](const std::string& value) { return sized_.contains(value) || formulas_.contains(value); };
  if (std::ranges::none_of(n.inputs, is_open)) return false;
  return follow_in_both(n, rule) || follow_by_formula(n, rule);
}

bool Importer::follow_in_both(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&)) {
  const auto is_sized = [&](const std::string& value) { return sized_.contains(value); };
  const auto follows = [&](const std::string& value) {
    return value.empty() || is_sized(value) || constants_.contains(value);
  };
  if (!std::ranges::all_of(n.inputs, follows)) return false;
  // A table ends, where what it counts in the part that is taken goes on.
  if (n.op == "Slice" && !is_sized(n.inputs[0])) return false;
  std::vector<std::pair<size_t, Sized>> made;
  for (const bool other : {false, true}) {
    Importer alone(opset_, given_);
    for (const std::string& input : n.inputs) {
      if (input.empty()) continue;
      const auto found = sized_.find(input);
      const StoredTensor value = found == sized_.end() ? *constants_.find(input)
                                 : other               ? found->second.other
                                                       : found->second.here;
      if (value.size() > kMostFollowed) return false;
      alone.define(input, value);
    }
    alone.begin(n);
    if (!rule(alone, n)) return false;
    alone.fold(n);
    for (size_t i = 0, k = 0; i < n.outputs.size(); ++i) {
      if (!wants(n, i)) continue;
      const StoredTensor* stored = alone.constants_.find(n.outputs[i]);
      if (!stored || stored->size() > kMostMade) return false;
      const Tensor* value = alone.constants_.value(n.outputs[i]);
      if (!value) return false;
      if (other)
        made[k++].second.other = *value;
      else
        made.push_back({i, Sized{*value, {}}});
    }
  }
  if (!std::ranges::all_of(made, [](const auto& entry) { return can_be_wire(entry.second); })) return false;
  const auto is_same = [](const auto& entry) { return same_bits(entry.second.here, entry.second.other); };
  // A comparison may change over; what only lays out its results, or one value, does not.
  const auto is_bool = [](const auto& entry) { return entry.second.here.dtype() == DType::boolean; };
  const bool compares = std::ranges::any_of(made, is_bool) && !lays_out(n.op);
  const Says of_others = compares ? Says::nothing : says(n.op);
  const bool known = of_others == Says::all || (of_others == Says::unlike && std::ranges::none_of(made, is_same));
  if (!known && !compares_with_no_size(n)) return false;
  for (size_t i = 0; i < n.inputs.size(); ++i)
    if (is_sized(n.inputs[i]) && picks(n.op, i) && std::ranges::any_of(made, is_same)) return false;
  const auto maker = std::make_shared<const OnnxNode>(n);
  for (auto& [i, value] : made) {
    set(n, i, std::move(value));
    makers_[n.outputs[i]] = {maker, rule};
  }
  return true;
}

Error Importer::unsuited(const std::string& reason) {
  are_sizes_unsuited_ = true;
  return unsupported(reason);
}

Result<Wire> Importer::wire_of_sized(const std::string& value) {
  const auto sized = sized_.find(value);
  auto wire = sized == sized_.end() ? Result<Wire>(unsupported("it is known by its formula alone."))
                                    : wire_of(Sized(sized->second));
  const auto maker = makers_.find(value);
  if (wire || maker == makers_.end()) return wire;
  HW_CHECK(maker->second.rule(*this, *maker->second.node));
  const auto made = wires_.find(value);
  return made == wires_.end() ? wire : Result<Wire>(made->second);
}

void Importer::find_tensor(const std::function<bool(const Wire&, const SizedDims&)>& visit) const {
  for (const ScopedNode& scoped : nodes_) {
    const Node& node = *graph_.find(scoped.id);
    const NodeType* known = Registry::instance().find(node.type);
    if (!known) continue;
    const Declaration declared = known->declared(node.params);
    if (declared->outputs().empty()) continue;
    const Wire wire{node.id, declared->outputs().front().id};
    const auto a = validator_.output_type(wire.node, wire.socket),
               b = other_validator_.output_type(wire.node, wire.socket);
    if (!a || !b || a->kind != Kind::tensor || a->shape.rank() != b->shape.rank()) continue;
    if (visit(wire, {a->shape.dims(), b->shape.dims()})) return;
  }
}

Result<std::pair<Wire, int64_t>> Importer::axis_of_size(int64_t here, int64_t other) const {
  std::optional<std::pair<Wire, int64_t>> found;
  find_tensor([&](const Wire& wire, const SizedDims& dims) {
    for (size_t d = 0; !found && d < dims.here.size(); ++d)
      if (dims.here[d] == here && dims.other[d] == other) found.emplace(wire, static_cast<int64_t>(d));
    return found.has_value();
  });
  if (!found) return unsupported("no tensor before it has an axis of its symbolic size.");
  return *found;
}

Result<Wire> Importer::wire_with_last_axes(const SizedDims& sizes) const {
  const auto ends_in = [](const Dims& dims, const Dims& end) {
    return dims.size() >= end.size() && std::equal(end.rbegin(), end.rend(), dims.rbegin());
  };
  std::optional<Wire> found;
  find_tensor([&](const Wire& wire, const SizedDims& dims) {
    if (ends_in(dims.here, sizes.here) && ends_in(dims.other, sizes.other)) found = wire;
    return found.has_value();
  });
  if (!found) return unsupported("no tensor before it has its symbolic sizes.");
  return *found;
}

Result<Wire> Importer::indices(int64_t here, int64_t other) {
  HW_TRY(const auto like, axis_of_size(here, other));
  return add("indices", {{"x", like.first}}, {{"axis", like.second}});
}

Result<Wire> Importer::stretched(const Wire& wire, int64_t axis, int64_t here, int64_t other) {
  HW_TRY(const int64_t axes, rank(wire));
  HW_TRY(const Wire places, indices(here, other));
  HW_TRY(const Wire zero, scalar(DType::f64, 0));
  HW_TRY(const Wire whole, cast(places, DType::f64));
  HW_TRY(Wire all, add("compare", {{"a", whole}, {"b", zero}}, {{"operation", std::string("greater_equal")}}));
  std::vector<double> behind;
  for (int64_t d = 1; axis + d < axes; ++d) behind.push_back(static_cast<double>(d));
  if (!behind.empty()) {
    HW_TRY(all, add("unsqueeze", {{"x", all}}, {{"axes", behind}}));
  }
  HW_TRY(const WireType given, type(wire));
  HW_TRY(const Wire wide, as_float(wire));
  HW_TRY(const Wire repeated, add("where", {{"condition", all}, {"a", wide}, {"b", wide}}));
  return cast(repeated, given.dtype);
}

Result<Wire> Importer::wire_of(const Sized& value) {
  const DType dtype = value.here.dtype();
  const Dims &here = value.here.dims(), &other = value.other.dims();
  const auto rank = static_cast<int64_t>(here.size());
  if (const auto number = number_everywhere(value)) {
    Dims small = here;
    for (size_t d = 0; d < small.size(); ++d)
      if (here[d] != other[d]) small[d] = 1;
    Tensor filled(DType::f64, small);
    std::fill_n(filled.as<double>(), filled.size(), *number);
    HW_TRY(Wire wire, constant_wire(filled.to(dtype)));
    for (int64_t d = 0; d < rank; ++d)
      if (const auto at = static_cast<size_t>(d); here[at] != other[at]) {
        HW_TRY(wire, stretched(wire, d, here[at], other[at]));
      }
    return wire;
  }
  if (const auto count = progression(value)) {
    HW_TRY(Wire wire, indices(here[count->axis], other[count->axis]));
    HW_TRY(wire, cast(wire, DType::f64));
    if (count->step != 1) {
      HW_TRY(const Wire step, scalar(DType::f64, count->step));
      HW_TRY(wire, add("mul", {{"a", wire}, {"b", step}}));
    }
    if (count->begin != 0) {
      HW_TRY(const Wire begin, scalar(DType::f64, count->begin));
      HW_TRY(wire, add("add", {{"a", wire}, {"b", begin}}));
    }
    HW_TRY(wire, cast(wire, dtype));
    std::vector<double> ones;
    for (int64_t d = 0; d < rank; ++d)
      if (d != static_cast<int64_t>(count->axis)) ones.push_back(static_cast<double>(d));
    return ones.empty() ? Result<Wire>(wire) : add("unsqueeze", {{"x", wire}}, {{"axes", ones}});
  }
  if (value.here.size() != 1 || value.other.size() != 1)
    return unsupported("it reads a list of symbolic sizes as a tensor.");
  const double is = value.here.to_f64().front(), is_other = value.other.to_f64().front();
  HW_TRY(const Wire places, indices(static_cast<int64_t>(is), static_cast<int64_t>(is_other)));
  HW_TRY(const Wire whole, cast(places, DType::f64));
  HW_TRY(const Wire last, add("reduce_max", {{"x", whole}}, {{"axes", std::vector<double>{0}}, {"keep", false}}));
  HW_TRY(const Wire one, scalar(DType::f64, 1));
  HW_TRY(const Wire size, add("add", {{"a", last}, {"b", one}}));
  HW_TRY(const Wire wire, cast(size, dtype));
  if (rank == 0) return wire;
  std::vector<double> ones;
  for (int64_t d = 0; d < rank; ++d) ones.push_back(static_cast<double>(d));
  return add("unsqueeze", {{"x", wire}}, {{"axes", ones}});
}

}  // namespace hw::interop
