#include "engine/rewrite/layers.h"

#include <algorithm>

#include "engine/plan/write_weights.h"

namespace hw::rewrites {

bool stands_alone(const Graph& flat, const Node& node) {
  return !node.bypassed && node.tie.empty() && tied_to(flat, node.id).empty();
}

bool is_wide(const Node& node) {
  const auto dtype = dtype_from_name(std::get<std::string>(param_value(node, "dtype")));
  if (!node.weights.empty() || (dtype != DType::f32 && dtype != DType::f64)) return false;
  const NodeType* type = Registry::instance().find(node.type);
  return !type->decl.find_param("compute") || node.params.find("compute") == node.params.end();
}

const Node* only_reader(const Graph& flat, const Node& node) {
  const std::vector<Link>& readers = flat.links_from(node.id);
  if (readers.size() != 1 || readers[0].from_socket != "y" || readers[0].to_socket != "x") return nullptr;
  return flat.find(readers[0].to);
}

std::optional<SocketRef> source_of(const Graph& flat, const Node& node) {
  const std::vector<Link> wires = flat.links_into(node.id, "x");
  if (wires.size() != 1) return std::nullopt;
  return SocketRef{wires[0].from, wires[0].from_socket};
}

std::optional<Shape> input_shape(const Graph& flat, const Validator& validator, const Node& node) {
  const auto source = source_of(flat, node);
  const auto type = source ? validator.output_type(source->node, source->socket) : std::nullopt;
  if (!type || type->kind != Kind::tensor) return std::nullopt;
  return type->shape;
}

void replace_type(const Node& node, std::string_view type, ParamMap params, const Node& at, Edits& edits) {
  Node other = node;
  other.type = type;
  other.params = std::move(params);
  other.name.clear();
  other.x = at.x;
  other.y = at.y;
  edits.push_back(RemoveNode{node.id});
  edits.push_back(AddNode{std::move(other)});
}

namespace {

bool is_all(const Node& node, const char* param, double value) {
  const auto values = std::get<std::vector<double>>(param_value(node, param));
  return std::ranges::all_of(values, [value](double v) { return v == value; });
}

}  // namespace

bool is_pointwise(const Node& conv2d) {
  const std::string padding = std::get<std::string>(param_value(conv2d, "padding"));
  return is_all(conv2d, "kernel_size", 1) && is_all(conv2d, "stride", 1) &&
         std::get<int64_t>(param_value(conv2d, "groups")) == 1 &&
         (padding == "same" || padding == "valid" || padding == "0");
}

Result<std::vector<double>> values_of(const Weights& weights, const std::string& name) {
  const auto found = weights.find(name);
  if (found == weights.end()) return missing_parameter(name);
  return found->second.to_f64();
}

Result<std::vector<double>> bias_of(const Weights& weights, const Node& node, size_t channels) {
  if (!std::get<bool>(param_value(node, "bias"))) return std::vector<double>(channels);
  return values_of(weights, node.id + ".bias");
}

void store(Weights& weights, const Node& layer, std::span<const double> weight, std::span<const double> bias) {
  Tensor& stored = weights.at(layer.id + ".weight");
  Dims dims = stored.dims();
  dims[0] = static_cast<int64_t>(bias.size());
  stored = Tensor::from_f64(stored.dtype(), dims, weight);
  weights[layer.id + ".bias"] = Tensor::from_f64(stored.dtype(), {dims[0]}, bias);
}

Rewrite absorbing(const Node& layer, const Node& next) {
  Rewrite place{.what = next.id + " into " + layer.id, .nodes = {layer.id, next.id}, .edits = {RemoveNode{next.id}}};
  if (!std::get<bool>(param_value(layer, "bias"))) place.edits.push_back(SetParam{layer.id, "bias", true});
  place.outputs[{next.id, "y"}] = {layer.id, "y"};
  return place;
}

Status reshape(Weights& weights, const std::string& name, const std::function<Dims(const Dims&)>& dims) {
  const auto found = weights.find(name);
  if (found == weights.end()) return missing_parameter(name);
  found->second = found->second.reshaped(dims(found->second.dims()));
  return ok();
}

}  // namespace hw::rewrites
