#include "app/interop/onnx/importer.h"

#include <algorithm>
#include <cmath>

#include "app/interop/onnx/ids.h"
#include "app/interop/onnx/symbolic_axes.h"
#include "engine/core/codes.h"
#include "engine/core/same_bits.h"
#include "engine/core/utf8.h"
#include "engine/graph/check/check_type.h"

namespace hw::interop {
namespace {

/// Whole numbers that f64 does not have, but for the largest ones, which stand for "to the end".
size_t count_rounded(const Tensor& value) {
  constexpr int64_t kExact = int64_t{1} << 53, kEnd = int64_t{1} << 62;
  size_t count = 0;
  for (int64_t i = 0; i < value.size(); ++i) {
    const int64_t x = value.as<int64_t>()[i];
    count += (x > kExact && x < kEnd) || (x < -kExact && x > -kEnd);
  }
  return count;
}

constexpr int64_t kMostWholeWritten = 1 << 22;  // elements of other dtypes, which are all written into the graph
constexpr int64_t kMostWritten = 64;  // elements of floats that are written into the graph; more become weights

constexpr size_t kLongestType = 150;  // bytes; graph files take types of up to 200

/// A name as a node's type: a long one is cut between characters.
std::string as_type(std::string name) {
  if (name.size() <= kLongestType) return name;
  size_t end = kLongestType;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "...";
}

}  // namespace

Result<Wire> Importer::wire_of(const std::string& value) {
  if (const auto found = wires_.find(value); found != wires_.end()) return found->second;
  if (const Tensor* constant = constants_.value(value)) {
    // A small one stands beside each operator that reads it, so that no wire crosses the whole graph.
    const bool is_weight = trains(value);
    HW_TRY(const Wire wire, is_weight ? weight_wire(value) : constant_wire(*constant));
    if (graph_.find(wire.node)->type == kParameter) readers_[source_of(value)].push_back(wire.node);
    if (constant->size() > kMostBeside || is_weight) wires_[value] = wire;
    return wire;
  }
  if (sized_.contains(value) || formulas_.contains(value)) {
    HW_TRY(const Wire wire, wire_of_sized(value));
    wires_[value] = wire;
    return wire;
  }
  if (const auto found = unread_.find(value); found != unread_.end())
    return unsupported("its input \"" + value + "\" is not read: " + found->second);
  return unsupported("its input \"" + value + "\" is missing.");
}

Result<Wire> Importer::in(const OnnxNode& n, size_t i) {
  if (!has(n, i)) return unsupported("its input " + std::to_string(i) + " is missing.");
  return wire_of(n.inputs[i]);
}

Result<std::vector<Wire>> Importer::sequence(const OnnxNode& n, size_t i) const {
  const auto found = has(n, i) ? sequences_.find(n.inputs[i]) : sequences_.end();
  if (found == sequences_.end()) return unsupported("it is not known what is in its sequence.");
  return found->second;
}

const Tensor* Importer::constant(const OnnxNode& n, size_t i) const {
  return is_computed_of_weights(n, i) ? nullptr : value_of(n, i);
}

const Tensor* Importer::value_of(const OnnxNode& n, size_t i) const {
  return has(n, i) ? constants_.value(n.inputs[i]) : nullptr;
}

const StoredTensor* Importer::stored(const OnnxNode& n, size_t i) const {
  return has(n, i) && !is_computed_of_weights(n, i) ? constants_.find(n.inputs[i]) : nullptr;
}

const Tensor* Importer::bound(const OnnxNode& n, size_t i) const {
  if (const Tensor* value = value_of(n, i)) return value;
  const auto found = has(n, i) ? given_.find(n.inputs[i]) : given_.end();
  return found == given_.end() ? nullptr : &found->second;
}

Result<Dims> Importer::open_dims(const OnnxNode& n, size_t i) {
  HW_TRY(SizedDims dims, sized_dims(n, i));
  for (size_t d = 0; d < dims.here.size(); ++d)
    if (dims.symbolic(d)) dims.here[d] = -1;
  return std::move(dims.here);
}

Result<std::vector<int64_t>> Importer::integers(const OnnxNode& n, size_t i) {
  const Tensor* value = bound(n, i);
  if (!value) return unsupported("its input " + std::to_string(i) + " is not constant.");
  const Tensor whole = value->to(DType::i64);  // i64 exactly: INT64_MAX means to the end
  return std::vector<int64_t>(whole.as<int64_t>(), whole.as<int64_t>() + whole.size());
}

Result<std::optional<std::vector<int64_t>>> Importer::attribute_or_input(const OnnxNode& n, const std::string& name,
                                                                         size_t i) {
  if (n.has(name)) {
    if (const auto found = n.attributes.find(name); std::holds_alternative<int64_t>(found->second))
      return std::optional(std::vector<int64_t>{n.integer(name, 0)});
    return std::optional(n.integers(name));
  }
  if (!has(n, i)) return std::optional<std::vector<int64_t>>();
  HW_TRY(std::vector<int64_t> numbers, integers(n, i));
  return std::optional(std::move(numbers));
}

Result<std::optional<double>> Importer::number(const OnnxNode& n, size_t i) {
  if (!has(n, i)) return std::optional<double>();
  const Tensor* value = bound(n, i);
  if (!value || value->size() != 1) return unsupported("its input " + std::to_string(i) + " is no constant number.");
  return std::optional(value->to_f64().front());
}

Result<WireType> Importer::type(const Wire& wire) const {
  const auto type = open_type(validator_.output_type(wire.node, wire.socket),
                              other_validator_.output_type(wire.node, wire.socket), {});
  if (!type) return unsupported("the shape of what it is given is not known.");
  return *type;
}

Result<Dims> Importer::open_dims(const Wire& wire) const {
  HW_TRY(const WireType known, type(wire));
  Dims dims;
  for (const Axis& axis : known.shape.axes()) dims.push_back(axis.known() ? axis.size : -1);
  return dims;
}

Result<Dims> Importer::dims(const Wire& wire) const {
  HW_TRY(Dims dims, open_dims(wire));
  if (std::ranges::count(dims, -1)) return unsupported("a size of what it is given is symbolic.");
  return dims;
}

Result<int64_t> Importer::rank(const Wire& wire) const {
  HW_TRY(const WireType known, type(wire));
  return static_cast<int64_t>(known.shape.rank());
}

Result<int64_t> Importer::axis(const Wire& wire, int64_t axis) const {
  HW_TRY(const int64_t axes, rank(wire));
  if (axis < -axes || axis >= axes) return unsupported("axis " + std::to_string(axis) + " is not there.");
  return axis < 0 ? axis + axes : axis;
}

std::string Importer::id_for(const std::string& name) {
  std::string id = as_id(name);
  if (id.empty()) id = "node";
  std::string unique = id;
  for (int& number = numbers_.try_emplace(id, 1).first->second; ids_.contains(unique);)
    unique = id + "_" + std::to_string(++number);
  ids_.insert(unique);
  return unique;
}

Result<std::string> Importer::put(Node node, const Wires& inputs, const Node* other_input) {
  const std::string id = node.id;
  Edits edits{AddNode{std::move(node)}};
  for (const auto& [socket, wire] : inputs) edits.push_back(AddLink{{wire.node, wire.socket, id, socket}});
  HW_TRY(const Edits inverse, apply_edits(graph_, edits));
  if (other_input) edits = {AddNode{*other_input}};
  HW_TRY(const Edits other_inverse, apply_edits(other_, edits));
  validator_.update(graph_, {{id}, {id}});
  other_validator_.update(other_, {{id}, {id}});
  const auto error_of = [&](const Validator& validator) -> std::optional<std::string> {
    for (const Diagnostic& d : validator.of(id))
      if (d.severity == Severity::error && d.code != codes::unknown_node) {
        are_sizes_unsuited_ = are_sizes_unsuited_ || d.code == codes::out_of_memory;
        return d.reason;
      }
    return std::nullopt;
  };
  const auto here = error_of(validator_), there = error_of(other_validator_);
  if (here || there) {
    undo_edits(graph_, inverse);
    undo_edits(other_, other_inverse);
    validator_.update(graph_, {{id}, {id}});
    other_validator_.update(other_, {{id}, {id}});
    ids_.erase(id);
    return unsupported(here ? *here : "it fits one size of a symbolic axis alone: " + *there);
  }
  added_.push_back(id);
  note(id);
  return id;
}

void Importer::note(const std::string& id) {
  nodes_.push_back({id, current_ ? current_->scopes : std::vector<OnnxScope>()});
}

Result<Wire> Importer::add(const std::string& type, const Wires& inputs, const ParamMap& params) {
  return add_layer(type, inputs, params, {});
}

Result<Wire> Importer::constant_wire(const Tensor& value) {
  std::vector<double> shape;
  for (const int64_t size : value.dims()) shape.push_back(static_cast<double>(size));
  // What is written into a graph is finite.
  if (value.size() > kMostWholeWritten && !info(value.dtype()).is_float)
    return unsupported("a table of more than 2^22 whole numbers.");
  const bool becomes_weight = value.size() > kMostWritten && info(value.dtype()).is_float;
  const std::vector<double> values = becomes_weight ? std::vector<double>() : value.to_f64();
  const bool finite = std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  if (shape.empty() && finite && info(value.dtype()).is_float) return scalar(value.dtype(), values.front());
  if (value.size() == 0) return unsupported("an empty tensor is not supported.");
  if (value.dtype() == DType::i64) rounded_ += count_rounded(value);
  const std::string dtype(name(value.dtype()));
  if (becomes_weight || (!finite && info(value.dtype()).is_float))
    return add_layer(kParameter, {},
                     {{"shape", shape}, {"axes", std::string()}, {"trainable", false}, {"dtype", dtype}},
                     {{"value", value}});
  HW_TRY(const Wire made, add("tensor_constant", {}, {{"values", values}, {"shape", shape}, {"dtype", dtype}}));
  if (!shape.empty()) return made;
  return add("reshape", {{"x", made}}, {{"shape", std::vector<double>{}}});
}

Result<Wire> Importer::scalar(DType dtype, double value) {
  return add("constant", {}, {{"value", value}, {"shape", std::vector<double>{}}, {"dtype", std::string(name(dtype))}});
}

Result<Wire> Importer::cast(const Wire& wire, DType dtype) {
  if (const auto known = type(wire); known && known->dtype == dtype) return wire;
  return add("cast", {{"x", wire}}, {{"to", std::string(name(dtype))}});
}

Result<Wire> Importer::as_float(const Wire& wire) {
  const auto known = type(wire);
  return !known || info(known->dtype).is_float ? Result<Wire>(wire) : cast(wire, DType::f64);
}

Result<Wire> Importer::widened(const Wire& wire) {
  HW_TRY(const WireType known, type(wire));
  return info(known.dtype).is_float && info(known.dtype).bits < info(DType::f32).bits ? cast(wire, DType::f32)
                                                                                      : Result<Wire>(wire);
}

Result<Wire> Importer::wrapped(const Wire& wire, DType dtype) {
  const int bits = info(dtype).bits;
  if (info(dtype).is_float || dtype == DType::boolean || bits > 32) return cast(wire, dtype);
  const double period = std::ldexp(1.0, bits), least = dtype == DType::u8 ? 0 : -period / 2;
  HW_TRY(const Wire inside, in_period(wire, least, period));
  return cast(inside, dtype);
}

Result<Wire> Importer::in_period(const Wire& wire, double least, double period) {
  HW_TRY(const Wire low, scalar(DType::f64, least));
  HW_TRY(const Wire span, scalar(DType::f64, period));
  HW_TRY(const Wire from, add("sub", {{"a", wire}, {"b", low}}));
  HW_TRY(const Wire turns, add("div", {{"a", from}, {"b", span}}));
  HW_TRY(const Wire whole, add("floor", {{"x", turns}}));
  HW_TRY(const Wire over, add("mul", {{"a", whole}, {"b", span}}));
  return add("sub", {{"a", wire}, {"b", over}});
}

Result<Wire> Importer::cast_like(const Wire& wire, const Wire& model) {
  const auto known = type(model);
  return known ? cast(wire, known->dtype) : Result<Wire>(wire);
}

void Importer::set(const OnnxNode& n, size_t i, const Wire& wire) {
  if (wants(n, i)) wires_[n.outputs[i]] = wire;
}

void Importer::set(const OnnxNode& n, size_t i, Sized value) {
  if (same_bits(value.here, value.other)) return set(n, i, std::move(value.here));
  if (wants(n, i)) sized_[n.outputs[i]] = std::move(value);
}

void Importer::set(const OnnxNode& n, size_t i, Tensor constant) {
  if (wants(n, i)) constants_.define(n.outputs[i], std::move(constant));
}

Status Importer::reserve_bytes(double bytes) {
  if (!(filled_ + bytes <= kMostFilled))
    return unsupported("it is very large: constants of one value may take 1 GiB in all.");
  filled_ += bytes;
  return ok();
}

void Importer::set_dequantized(const OnnxNode& n, Tensor constant) {
  ++dequantized_;
  set(n, 0, std::move(constant));
}

Status Importer::release() {
  constants_.release();
  if (const auto& error = constants_.error()) return *error;
  return ok();
}

void Importer::begin(const OnnxNode& n) {
  constants_.release();
  current_ = &n;
  added_.clear();
  is_named_ = false;
}

void Importer::take_back_to(size_t nodes) {
  std::set<std::string, std::less<>> gone;
  std::vector<std::string> ids;  // the last one first
  for (; nodes_.size() > nodes; nodes_.pop_back()) ids.push_back(nodes_.back().id);
  added_.clear();
  if (ids.empty()) return;
  gone.insert(ids.begin(), ids.end());
  for (const std::string& id : ids) ids_.erase(id);
  // All at once: a loop that is taken back may have thousands of nodes.
  for (Graph* graph : {&graph_, &other_}) {
    Edits edits;
    for (const std::string& id : ids)
      if (graph->find(id)) edits.push_back(RemoveNode{id});
    (void)apply_edits(*graph, edits);
  }
  validator_.update(graph_, {ids, {}});
  other_validator_.update(other_, {ids, {}});
  const auto is_of_gone = [&](const auto& entry) {
    return gone.contains(std::string_view(entry.first).substr(0, entry.first.find('.')));
  };
  std::erase_if(wires_, [&](const auto& entry) { return gone.contains(entry.second.node); });
  std::erase_if(weights_, is_of_gone);
  std::erase_if(graph_.weight_names, is_of_gone);
  for (auto& [source, readers] : readers_)
    std::erase_if(readers, [&](const std::string& id) { return gone.contains(id); });
}

std::vector<std::string> Importer::notes() const {
  std::vector<std::string> once;
  for (const std::string& note : notes_)
    if (std::ranges::count(once, note) == 0) once.push_back(note);
  return once;
}

void Importer::add_placeholder(const OnnxNode& n, const std::string& reason) {
  Node node;
  node.id = id_for(n.name.empty() ? n.op : n.name);
  const std::string op = as_type((n.domain.empty() ? "" : n.domain + ".") + n.op);
  node.type = "onnx:" + op;
  node.label = n.op.size() > op.size() ? op : n.op;
  node.params[kForeignReason] = as_utf8(reason);  // may cite texts of the file
  const std::string id = node.id;
  Edits edits{AddNode{std::move(node)}};
  for (size_t i = 0; i < n.inputs.size(); ++i)
    if (const auto wire = wires_.find(n.inputs[i]); wire != wires_.end())
      edits.push_back(AddLink{{wire->second.node, wire->second.socket, id, "input_" + std::to_string(i)}});
  if (!apply_edits(graph_, edits) || !apply_edits(other_, edits)) return;
  note(id);
  validator_.update(graph_, {{id}, {id}});
  other_validator_.update(other_, {{id}, {id}});
  for (size_t i = 0; i < n.outputs.size(); ++i) set(n, i, Wire{id, "output_" + std::to_string(i)});
}

Result<std::string> Importer::add_input(const OnnxValue& value, ParamMap params, const std::vector<double>& other) {
  current_ = nullptr;
  Node node;
  node.id = id_for(value.name);
  node.name = node.label = value.name;
  node.type = "input";
  node.params = std::move(params);
  node.params["dtype"] = std::string(name(*value.dtype));
  Node beside = node;
  beside.params["shape"] = other;
  const auto id = put(std::move(node), {}, &beside);
  if (id) wires_[value.name] = Wire{*id, "y"};
  return id;
}

}  // namespace hw::interop
