// Importer: nodes with weights, which of them share theirs, and how they are named.
#include <algorithm>
#include <cstring>

#include "app/interop/onnx/importer.h"
#include "engine/core/same_bits.h"
#include "engine/graph/check_tie.h"

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

/// All elements are the same.
bool is_uniform(const Tensor& t) {
  const size_t size = size_of(t.dtype());
  return t.bytes() <= size || std::memcmp(t.as<char>(), t.as<char>() + size, t.bytes() - size) == 0;
}

}  // namespace

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

std::string Importer::owner_of(const std::string& type, const std::map<std::string, Tensor>& weights) const {
  const std::vector<std::string> read = sources();
  const auto readers = read.empty() ? readers_.end() : readers_.find(read.front());
  if (readers == readers_.end()) return "";
  for (const std::string& id : readers->second) {
    const Node& other = *graph_.find(id);
    if (other.type != type || !other.tie.empty()) continue;
    const auto is_same = [&](const auto& entry) {
      const auto found = weights_.find(id + "." + entry.first);
      return found != weights_.end() && same_bits(found->second, entry.second);
    };
    // Exporters write equal values once, as the ones of norms: only one module has them twice.
    const auto varies = [](const auto& entry) { return !is_uniform(entry.second); };
    const bool one_module = !name_of_scope(*current_).empty() && scope_of_.at(id) == name_of_scope(*current_);
    if (std::ranges::all_of(weights, is_same) && (one_module || std::ranges::any_of(weights, varies))) return id;
  }
  return "";
}

std::map<std::string, std::vector<std::string>> Importer::untied_weights() const {
  std::map<std::string, std::vector<std::string>> untied;
  for (const auto& [source, readers] : readers_) {
    const auto found = constants_.find(source);
    if (found == constants_.end() || is_uniform(found->second)) continue;
    std::vector<std::string> owners;
    bool is_trained = false;
    for (const std::string& id : readers) {
      const Node& node = *graph_.find(id);
      if (node.tie.empty()) owners.push_back(id);
      is_trained = is_trained || node.type != kParameter;
    }
    if (owners.size() > 1 && is_trained) untied[source] = std::move(owners);
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
  // The first node of an operator has its name.
  const bool first = added_.empty() && current_;
  node.id = id_for(first && !current_->name.empty() ? current_->name : type);
  node.type = type;
  if (first) node.name = weights.empty() ? name_of_scope(*current_) : name_of_layer(*current_);
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
