// Importer: nodes with weights, which of them share theirs, and how they are named.
#include <algorithm>
#include <cstring>

#include "app/interop/onnx/importer.h"
#include "engine/core/same_bits.h"
#include "engine/graph/check/check_tie.h"
#include "engine/graph/weights/foreign_names.h"

namespace hw::interop {
namespace {

/// "layer1.0.conv1" of an operator whose weight is "layer1.0.conv1.weight"; "": it has no such name.
std::string name_of_layer(const OnnxNode& n) {
  constexpr std::string_view kWeight = ".weight";
  const std::string weight = n.inputs.size() > 1 ? n.inputs[1] : "";
  return weight.ends_with(kWeight) ? weight.substr(0, weight.size() - kWeight.size()) : "";
}

/// "layer1.0.relu" of an operator in a module of this path; "": it has no scope.
std::string name_of_scope(const OnnxNode& n) {
  return n.scopes.empty() ? "" : n.scopes.back().path;
}

/// Whether a tensor of the file is called as exporters call parameters, and not as buffers are: masks, tables of
/// positions and the like.
bool is_parameter_name(const std::string& name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("ReadVariableOp")) return true;  // Keras
  if (has("::") || has("/")) return false;
  const size_t dot = name.rfind('.');
  const std::string last = name.substr(dot == name.npos ? 0 : dot + 1);
  constexpr std::string_view kBuffers[]{"anchor", "coords", "freq", "index", "mask", "_ids", "running_", "sinusoid"};
  constexpr std::string_view kWholeBuffers[]{"cos", "mean", "pe", "sin", "std"};
  if (std::ranges::any_of(kBuffers, [&](std::string_view part) { return last.find(part) != last.npos; }) ||
      std::ranges::count(kWholeBuffers, last) > 0)
    return false;
  if (dot != name.npos) return true;
  constexpr std::string_view kWords[]{"embed", "token", "weight", "bias", "gamma", "beta", "query", "latent"};
  return std::ranges::any_of(kWords, has);
}

/// "block.0.norm" of "block_1.0.norm_2": PyTorch's exporter numbers the uses of a module.
std::string without_use(const std::string& scope) {
  std::string path;
  for (size_t i = 0; i < scope.size(); ++i) {
    const size_t end = scope[i] == '_' ? std::min(scope.size(), scope.find_first_not_of("0123456789", i + 1)) : i;
    const bool is_number = end > i + 1 && (end == scope.size() || scope[end] == '.');
    if (is_number)
      i = end - 1;
    else
      path += scope[i];
  }
  return path;
}

/// All elements are the same.
bool is_uniform(const Tensor& t) {
  const size_t size = size_of(t.dtype());
  return t.bytes() <= size || std::memcmp(t.as<char>(), t.as<char>() + size, t.bytes() - size) == 0;
}

}  // namespace

void Importer::define_weights(const OnnxGraph& graph) {
  parameters_ = graph.parameters;
  for (const auto& [name, tensor] : graph.initializers) {
    define(name, tensor);
    const bool is_parameter = graph.parameters ? graph.parameters->contains(name) : is_parameter_name(name);
    if (info(tensor.dtype()).is_float && is_parameter) weights_of_file_.insert(name);
  }
}

bool Importer::trains(const std::string& value) const {
  const StoredTensor* found = constants_.find(value);
  const std::string source = source_of(value);
  return found && info(found->dtype()).is_float && weights_of_file_.contains(source) &&
         found->size() == constants_.find(source)->size();
}

Result<Wire> Importer::weight_wire(const std::string& value) {
  const Tensor tensor = *constants_.value(value);
  std::vector<double> shape;
  for (const int64_t size : tensor.dims()) shape.push_back(static_cast<double>(size));
  HW_TRY(const Wire wire, add_layer(kParameter, {},
                                    {{"shape", shape},
                                     {"axes", std::string()},
                                     {"trainable", true},
                                     {"dtype", std::string(hw::name(tensor.dtype()))}},
                                    {{"value", tensor}}));
  const std::string source = source_of(value);
  const size_t dot = source.rfind('.');
  graph_.node(wire.node).name = dot == source.npos ? source : source.substr(0, dot);
  if (constants_.find(source)->dims() == tensor.dims()) graph_.weight_names[wire.node + ".value"] = source;
  return wire;
}

std::string Importer::layer_name(const OnnxNode& n) const {
  const std::string scope = name_of_scope(n);
  return parameters_ && parameters_->contains(scope + ".weight") ? scope : name_of_layer(n);
}

void Importer::name_turned(const Wire& linear, const OnnxNode& n, const std::string& bias) {
  Node& node = graph_.node(linear.node);
  node.name = name_of_turned(n);
  const std::string weight = n.inputs[1];
  if (!node.name.empty() || !node.tie.empty() || !weights_of_file_.contains(weight)) return;
  graph_.weight_names[linear.node + ".weight"] = weight + std::string(kTransposed);
  if (weights_of_file_.contains(bias)) graph_.weight_names[linear.node + ".bias"] = bias;
}

std::string Importer::name_of_turned(const OnnxNode& n) const {
  if (n.scopes.empty() || weights_of_file_.contains(source_of(n.inputs[1]))) return "";
  const OnnxScope& module = n.scopes.back();
  const bool is_linear = module.kind.empty() ? n.inputs[1].starts_with("onnx::") : module.kind.ends_with("Linear");
  return is_linear ? module.path : "";
}

bool Importer::is_filler(const OnnxNode& n, size_t i, double number) const {
  if (!has(n, i) || weights_of_file_.contains(source_of(n.inputs[i]))) return false;
  const Tensor* value = constant(n, i);
  return value && value->size() > 0 && is_uniform(*value) && value->to_f64().front() == number;
}

std::optional<Wire> Importer::shared_table(const Tensor& value) const {
  if (is_uniform(value)) return std::nullopt;
  for (const ScopedNode& scoped : nodes_) {
    const Node& node = *graph_.find(scoped.id);
    if (node.type != kParameter || !std::get<bool>(param_value(node, "trainable"))) continue;
    const auto found = weights_.find(node.id + ".value");
    if (found != weights_.end() && found->second.dims() == value.dims() && same_bits(found->second, value))
      return Wire{node.id, "y"};
  }
  return std::nullopt;
}

void Importer::count_reads(const std::vector<OnnxNode>& nodes) {
  for (const OnnxNode& n : nodes) {
    for (const std::string& input : n.inputs) ++reads_[input];
    for (const auto& [name, attribute] : n.attributes)
      if (const auto* inner = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute)) count_reads((*inner)->nodes);
  }
}

void Importer::tie_to_equal(const std::string& id) {
  const auto is_same = [&](const std::string& other, const char* weight) {
    const auto found = weights_.find(other + weight);
    return found != weights_.end() && same_bits(found->second, weights_.at(id + weight));
  };
  for (const auto& [source, readers] : readers_) {
    if (std::ranges::count(readers, id) == 0) continue;
    for (const std::string& other : readers) {
      if (other == id || !scope_of_.contains(other) || !shares_weights(source, other) ||
          graph_.find(other)->type != graph_.find(id)->type || is_uniform(weights_.at(id + ".weight")) ||
          !is_same(other, ".weight") || !is_same(other, ".bias"))
        continue;
      for (Graph* graph : {&graph_, &other_}) (void)apply_edits(*graph, {SetTie{id, other}});
      validator_.update(graph_, {{id}, {id}});
      other_validator_.update(other_, {{id}, {id}});
      weights_.erase(id + ".weight");
      weights_.erase(id + ".bias");
      return;
    }
  }
}

bool Importer::join_bias(const OnnxNode& n) {
  for (const size_t i : {0, 1}) {
    const Tensor* bias = constant(n, i);
    const auto wire = has(n, 1 - i) ? wires_.find(n.inputs[1 - i]) : wires_.end();
    if (!bias || wire == wires_.end() || reads_[n.inputs[1 - i]] != 1) continue;
    if (parameters_ && !weights_of_file_.contains(source_of(n.inputs[i]))) continue;  // a buffer
    const std::string id = wire->second.node;
    const Node& linear = *graph_.find(id);
    if (linear.type != "linear" || !linear.tie.empty() || std::get<bool>(param_value(linear, "bias"))) continue;
    const Tensor& weight = weights_.at(id + ".weight");
    const auto shares = [&](const ScopedNode& other) { return graph_.find(other.id)->tie == id; };
    if (bias->dims() != Dims{weight.dims()[0]} || bias->dtype() != weight.dtype() ||
        std::ranges::any_of(nodes_, shares))
      continue;
    for (Graph* graph : {&graph_, &other_}) (void)apply_edits(*graph, {SetParam{id, "bias", true}});
    validator_.update(graph_, {{id}, {id}});
    other_validator_.update(other_, {{id}, {id}});
    weights_[id + ".bias"] = *bias;
    readers_[source_of(n.inputs[i])].push_back(id);
    tie_to_equal(id);
    // A weight that PyTorch's exporter has turned has no name of its own.
    constexpr std::string_view kBias = ".bias";
    const std::string& name = n.inputs[i];
    if (linear.name.empty() && name.ends_with(kBias)) {
      const std::string layer = name.substr(0, name.size() - kBias.size());
      if (!constants_.contains(layer + ".weight"))
        graph_.node(id).name = layer;
      else if (weights_of_file_.contains(name))
        graph_.weight_names[id + ".bias"] = name;
    }
    const Wire joined = wire->second;
    set(n, 0, joined);
    return true;
  }
  return false;
}

void Importer::remove_unread() {
  for (auto id = kept_nodes_.rbegin(); id != kept_nodes_.rend(); ++id) {
    if (!graph_.find(*id) || !graph_.links_from(*id).empty()) continue;
    for (Graph* graph : {&graph_, &other_}) (void)apply_edits(*graph, {RemoveNode{*id}});
    std::erase_if(weights_, [&](const auto& entry) { return entry.first.starts_with(*id + "."); });
    graph_.weight_names.erase(*id + ".value");
    std::erase_if(nodes_, [&](const ScopedNode& node) { return node.id == *id; });
    for (auto& [source, readers] : readers_) std::erase(readers, *id);
  }
}

std::vector<std::string> Importer::frozen() const {
  std::vector<std::string> all;
  for (const auto& [source, readers] : readers_) {
    if (!own_prefix_.empty() && source.starts_with(own_prefix_)) continue;  // the file does not have it
    for (const std::string& id : readers) {
      const Node& node = *graph_.find(id);
      if (node.type != kParameter || std::get<bool>(param_value(node, "trainable"))) continue;
      all.push_back(source);
      break;
    }
  }
  return all;
}

std::vector<std::string> Importer::sources() const {
  std::vector<std::string> found;
  for (const std::string& input : current_ ? current_->inputs : std::vector<std::string>())
    if (constants_.contains(input)) found.push_back(source_of(input));
  return found;
}

std::string Importer::source_of(const std::string& constant) const {
  const auto source = source_.find(constant);
  return source == source_.end() ? constant : source->second;
}

std::string Importer::module_of(const std::string& scope) const {
  const auto first = weights_of_file_.lower_bound(scope + ".");
  const bool has_weights = first != weights_of_file_.end() && first->starts_with(scope + ".");
  return has_weights ? scope : without_use(scope);
}

bool Importer::shares_weights(const std::string& source, const std::string& id) const {
  const std::string scope = name_of_scope(*current_), &other = scope_of_.at(id);
  if (scope.empty() && other.empty()) {  // the file knows no modules
    const Tensor* value = constants_.value(source);
    return value && !is_uniform(*value);
  }
  if (module_of(scope) == module_of(other)) return true;
  if (!parameters_) return false;
  const auto own = parameters_->lower_bound(scope + ".");
  return own == parameters_->end() || !own->starts_with(scope + ".");  // it has none of its own
}

std::string Importer::owner_of(const std::string& type, const std::map<std::string, Tensor>& weights) const {
  const std::vector<std::string> read = sources();
  const auto readers = read.empty() ? readers_.end() : readers_.find(read.front());
  if (readers == readers_.end()) return "";
  for (const std::string& id : readers->second) {
    const Node& other = *graph_.find(id);
    if (other.type != type || !other.tie.empty() || !shares_weights(read.front(), id)) continue;
    const auto is_same = [&](const auto& entry) {
      const auto found = weights_.find(id + "." + entry.first);
      return found != weights_.end() && same_bits(found->second, entry.second);
    };
    if (std::ranges::all_of(weights, is_same)) return id;
  }
  return "";
}

std::map<std::string, std::vector<std::string>> Importer::untied_weights() const {
  std::map<std::string, std::vector<std::string>> untied;
  for (const auto& [source, readers] : readers_) {
    if (!constants_.contains(source)) continue;
    std::vector<std::string> owners;
    bool is_trained = false;
    for (const std::string& id : readers) {
      const Node& node = *graph_.find(id);
      if (node.tie.empty()) owners.push_back(id);
      is_trained = is_trained || node.type != kParameter || std::get<bool>(param_value(node, "trainable"));
    }
    if (owners.size() < 2 || !is_trained) continue;
    if (const Tensor* value = constants_.value(source); value && !is_uniform(*value))
      untied[source] = std::move(owners);
  }
  return untied;
}

Status Importer::check_weights(const std::string& id, const std::map<std::string, Tensor>& weights) const {
  if (weights.empty()) return ok();
  const Node& node = *graph_.find(id);
  const auto wanted = parameters_of(node, validator_.input_types(graph_, node));
  if (!wanted) return ok();
  for (const auto& [name, value] : *wanted)
    if (!weights.contains(name)) return unsupported("it has no " + name + ".");
  for (const auto& [name, tensor] : weights)
    if (const auto found = wanted->find(name); found == wanted->end() || found->second.dims != tensor.dims())
      return unsupported("its " + name + " is " + to_string(tensor.dims()) + ", " +
                         (found == wanted->end() ? "none" : to_string(found->second.dims)) + " is wanted.");
  return ok();
}

Result<Wire> Importer::add_layer(const std::string& type, const Wires& inputs, const ParamMap& params,
                                 const std::map<std::string, Tensor>& weights) {
  const NodeType* known = Registry::instance().find(type);
  Node node;
  // The first node of an operator has its name; numbers that it reads have not.
  const bool is_value = type == kParameter || type == "constant" || type == "tensor_constant";
  const bool first = current_ && !is_value && !is_named_;
  node.id = id_for(first && !current_->name.empty() ? current_->name : type);
  node.type = type;
  if (first) node.name = weights.empty() ? name_of_scope(*current_) : layer_name(*current_);
  for (const auto& [param, value] : params)
    if (const ParamDecl* decl = known->decl.find_param(param); !decl || decl->value != value)
      node.params[param] = value;
  if (!weights.empty() && type != kParameter) node.tie = owner_of(type, weights);
  auto made = put(node, inputs);
  if (!made && !node.tie.empty()) {  // it does not fit as a tied one
    node.tie = "";
    node.id = id_for(node.id);
    made = put(node, inputs);
  }
  HW_TRY(const std::string id, std::move(made));
  is_named_ = is_named_ || first;
  if (node.tie.empty()) HW_CHECK(check_weights(id, weights));
  if (node.tie.empty())
    for (const auto& [name, tensor] : weights) weights_[id + "." + name] = tensor;
  if (!weights.empty() && type != kParameter) {
    scope_of_[id] = current_ ? name_of_scope(*current_) : "";
    for (const std::string& source : sources()) readers_[source].push_back(id);
  }
  const Declaration declared = known->declared(graph_.find(id)->params);
  return Wire{id, declared->outputs().empty() ? "" : declared->outputs().front().id};
}

}  // namespace hw::interop
