#include "app/interop/onnx/export_graph.h"

#include <algorithm>
#include <set>

#include "app/interop/onnx/exporter.h"
#include "app/interop/onnx/opset_dtypes.h"
#include "app/interop/onnx/quantised_pairs.h"
#include "engine/backend/backend.h"
#include "engine/core/codes.h"
#include "engine/core/huge_buffer.h"
#include "engine/core/sizes.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/plan/missing_parameters.h"
#include "engine/plan/write_weights.h"

namespace hw::interop {
namespace {

ExportRule find_rule(const std::string& type) {
  static const std::map<std::string, ExportRule> all = [] {
    std::map<std::string, ExportRule> rules;
    for (const auto table : {export_attention_rules(), export_function_rules(), export_layer_rules(),
                             export_norm_rules(), export_picture_rules(), export_quantized_rules(),
                             export_recurrent_rules(), export_shape_rules(), export_vector_rules()})
      for (const ExportRow& row : table) rules.emplace(row.type, row.rule);
    return rules;
  }();
  const auto found = all.find(type);
  return found == all.end() ? nullptr : found->second;
}

/// Parameters of the dtypes and sizes of a program's, all on the same zeros, which take no memory before they are read.
Weights zero_parameters(const Program& program) {
  Weights all;
  size_t largest = 0;
  const auto bytes = [](const Value& view) { return byte_count(view.dtype, view.dims); };
  for (const Param& param : program.params) largest = std::max(largest, bytes(program[param.view]));
  const auto zeros = std::make_shared<HugeBuffer>(largest, true);
  for (const Param& param : program.params) {
    const Value& view = program[param.view];
    all[param.name] = Tensor(view.dtype, view.dims, {zeros, zeros->data()});
  }
  return all;
}

/// The parameters of the outputs' cone: those given, initial ones where none are given. `looks`: zeros in place
/// of the initial ones, as their dtypes and sizes are enough.
Result<Weights> parameters_of(const Graph& graph, std::span<const SocketRef> outputs, const Weights* weights,
                              Assets& assets, bool looks) {
  HW_TRY(const LoweredGraph lowered, lower(graph, outputs, {}, assets));
  const Program& program = *lowered.program;
  Weights all;
  if (weights) {
    HW_TRY(const std::vector<std::string> missing, missing_parameters(program, *weights));
    if (!missing.empty()) return missing_parameter(missing.front());
    for (const Param& param : program.params) all[param.name] = weights->at(param.name);
    return all;
  }
  if (looks) return zero_parameters(program);
  HW_TRY(const std::shared_ptr<Device> device, make_device("ref"));
  HW_TRY(const std::shared_ptr<States> states, device->prepare_states(program, nullptr, 0, nullptr));
  for (const Param& param : program.params) all[param.name] = states->read(program[param.view].name);
  return all;
}

/// The nodes that the outputs are made of, each after those before it.
std::vector<std::string> cone_of(const Graph& graph, std::span<const SocketRef> outputs) {
  std::vector<std::string> order;
  std::set<std::string> seen;
  std::vector<std::pair<std::string, bool>> open;
  for (const SocketRef& output : outputs) open.emplace_back(output.node, false);
  while (!open.empty()) {
    const auto [id, done] = open.back();
    open.pop_back();
    if (done) {
      order.push_back(id);
      continue;
    }
    if (!seen.insert(id).second) continue;
    open.emplace_back(id, true);
    for (const Link& link : graph.links_into(id)) open.emplace_back(link.from, false);
  }
  return order;
}

OnnxValue value_of(const std::string& name, const WireType& type) {
  OnnxValue value{name, type.dtype, "", std::vector<OnnxDim>{}};
  for (const Axis& axis : type.shape.axes()) value.dims->push_back({axis.known() ? axis.size : -1, axis.symbol});
  return value;
}

Status check_dtype(const OnnxModel& model, DType dtype, const std::string& where) {
  const int64_t first = first_opset_of(dtype);
  if (first != 0 && first <= model.opset) return ok();
  Error error = lacks(model.opset, "dtype " + std::string(name(dtype)), first);
  error.where = where;
  if (error.remedy.empty()) error.remedy = "Convert it to f16 or bf16 first.";
  return error;
}

/// An Input is an input; symbolic axes have their names for sizes.
Status add_input(Exporter& ex, const Node& node) {
  HW_TRY(const WireType type, ex.type_out("y"));
  if (type.kind != Kind::tensor) return Error{codes::unsupported, node.id, "it is no tensor.", ""};
  HW_CHECK(check_dtype(ex.model(), type.dtype, node.id));
  const std::string name = node.name.empty() ? node.id : node.name;
  ex.name({node.id, "y"}, name);
  ex.model().graph.inputs.push_back(value_of(name, type));
  return ok();
}

/// Each value is made once, and of a dtype that the opset has.
Status check_names(const OnnxModel& model) {
  const OnnxGraph& graph = model.graph;
  std::set<std::string> made;
  const auto add = [&](const std::string& value) -> Status {
    if (made.insert(value).second) return ok();
    return Error{codes::unsupported, value, "two values would have this name.",
                 "Rename an Input, or the node of the other."};
  };
  for (const OnnxValue& input : graph.inputs) HW_CHECK(add(input.name));
  for (const auto& [name, tensor] : graph.initializers) {
    HW_CHECK(add(name));
    HW_CHECK(check_dtype(model, tensor.dtype(), name));
  }
  for (const OnnxNode& node : graph.nodes)
    for (const std::string& output : node.outputs) HW_CHECK(add(output));
  return ok();
}

struct Made {
  OnnxModel model;
  std::set<std::string> constants;
  std::map<std::string, Dims> sizes;  // of values that nodes give
};

/// The dtypes of what a refused node would give, so that what reads it is looked at as well.
void define_outputs(const Exporter& ex, OpsetDtypes& dtypes) {
  for (const std::string& output : ex.outputs())
    if (const auto type = ex.type_out(output); type && type->kind == Kind::tensor)
      dtypes.define(ex.out(output), type->dtype);
}

/// Constants and parameters that a node gives are initializers, of a dtype that the opset has.
Status check_initializers(const Exporter& ex) {
  const auto& all = ex.model().graph.initializers;
  for (const std::string& output : ex.outputs())
    if (const auto found = all.find(ex.out(output)); found != all.end())
      HW_CHECK(check_dtype(ex.model(), found->second.dtype(), ""));
  return ok();
}

/// The model with these symbolic axes. `cone`: what the outputs are made of, as cone_of gives it. `refused` takes the
/// errors of nodes, and the parameters' values do not matter; null: the first ends it.
Result<Made> model_of(const Graph& graph, const NamedOutputs& outputs, const Weights& parameters,
                      const std::vector<std::string>& cone, const std::vector<std::string>& axes,
                      const ExportOptions& options, std::vector<Error>* refused = nullptr) {
  Exporter ex(graph, parameters, axes, refused != nullptr);
  ex.model().opset = options.opset;
  ex.model().producer = "halfwire";
  ex.model().graph.name = "halfwire";
  // A value that an operator makes has the name of its output; others are handed through.
  std::set<std::string> renamed;
  for (const auto& [name, socket] : outputs) {
    const std::string& type = graph.find(socket.node)->type;
    const bool made = type != "input" && type != "constant" && type != "tensor_constant" && type != "parameter";
    if (!made || !std::ranges::none_of(renamed, [&](const auto& n) { return ex.named(socket) == n; })) continue;
    ex.name(socket, name);
    renamed.insert(name);
  }
  OpsetDtypes dtypes(options.opset);
  std::map<std::string, Dims> sizes;
  const std::set<std::string> needed(cone.begin(), cone.end());
  for (const Node* node : sockets_of(graph)) {
    if (!is_graph_input(graph, *node) || !needed.contains(node->id)) continue;
    ex.begin(*node);
    if (const Status added = add_input(ex, *node); !added) {
      if (!refused) return added.error();
      refused->push_back(added.error());
      define_outputs(ex, dtypes);
      continue;
    }
    ex.add_sizes(sizes);
  }
  for (const OnnxValue& input : ex.model().graph.inputs) dtypes.define(input.name, *input.dtype);
  for (const std::string& id : cone) {
    const Node& node = *graph.find(id);
    if (is_graph_input(graph, node)) continue;
    const size_t first = ex.model().graph.nodes.size();
    ex.begin(node);
    const ExportRule rule = node.bypassed ? nullptr : find_rule(node.type);
    Status made = rule ? ex.fits_symbols()
                       : Status(Error{codes::unsupported, "",
                                      node.bypassed ? "it is bypassed." : "this version does not export it.", ""});
    if (made) made = rule(ex);
    if (made) made = check_initializers(ex);
    ex.add_sizes(sizes);
    auto& nodes = ex.model().graph.nodes;
    for (size_t i = first; made && i < nodes.size(); ++i) {
      if (options.document) nodes[i].scopes = scopes_of(*options.document, id);
      made = dtypes.add(nodes[i], ex.model().graph);
    }
    if (made) continue;
    const std::string& remedy = made.error().remedy;
    const Error error{
        codes::unsupported, id, "a " + display_name(node) + std::string(kCannotBeExported) + made.error().reason,
        remedy.empty() ? "Leave it out of what the outputs are made of, or write it with other nodes." : remedy};
    if (!refused) return error;
    refused->push_back(error);
    define_outputs(ex, dtypes);
  }
  for (const auto& [name, socket] : outputs) {
    ex.begin(*graph.find(socket.node));
    const auto type = ex.type_out(socket.socket);
    if (!type) return Error{codes::unsupported, socket.node, type.error().reason, ""};
    if (ex.out(socket.socket) != name) ex.add("Identity", {ex.out(socket.socket)}, {}, name);
    ex.model().graph.outputs.push_back(value_of(name, *type));
  }
  HW_CHECK(check_names(ex.model()));
  return Made{std::move(ex.model()), ex.constants(), std::move(sizes)};
}

Status check_opset(int64_t opset) {
  if (opset >= kFirstWrittenOpset && opset <= kLastOpset) return ok();
  return Error{codes::bad_usage, "--opset", "opset " + std::to_string(opset) + " is not written.",
               "Give one from " + std::to_string(kFirstWrittenOpset) + " to " + std::to_string(kLastOpset) + "."};
}

std::vector<SocketRef> sockets_in(const NamedOutputs& outputs) {
  std::vector<SocketRef> sockets;
  for (const auto& [name, socket] : outputs) sockets.push_back(socket);
  return sockets;
}

}  // namespace

NamedOutputs named_outputs(const Graph& document, const Graph& graph) {
  NamedOutputs outputs;
  for (const Node* node : sockets_of(document)) {
    if (node->type != kOutputType) continue;
    const auto links = graph.links_into(node->id, "x");
    if (links.empty()) continue;
    const auto is_taken = [&](const auto& output) { return output.first == node->name; };
    const bool by_id = node->name.empty() || std::ranges::any_of(outputs, is_taken);
    outputs.emplace_back(by_id ? node->id : node->name, SocketRef{links.front().from, links.front().from_socket});
  }
  return outputs;
}

std::vector<Error> export_refusals(const Graph& graph, const NamedOutputs& outputs, const Weights* weights,
                                   Assets& assets, const ExportOptions& options) {
  std::vector<Error> refused;
  if (const Status opset = check_opset(options.opset); !opset) return {opset.error()};
  const std::vector<SocketRef> sockets = sockets_in(outputs);
  const auto parameters = parameters_of(graph, sockets, weights, assets, true);
  if (!parameters) return {parameters.error()};
  const auto made = model_of(graph, outputs, *parameters, cone_of(graph, sockets), {}, options, &refused);
  // What is missing may be in the way of the rest.
  if (!made && refused.empty()) refused.push_back(made.error());
  return refused;
}

Result<ExportedModel> export_graph(const Graph& graph, const NamedOutputs& outputs, const Weights* weights,
                                   Assets& assets, const ExportOptions& options) {
  HW_CHECK(check_opset(options.opset));
  const std::vector<SocketRef> sockets = sockets_in(outputs);
  HW_TRY(const Weights parameters, parameters_of(graph, sockets, weights, assets, false));
  const std::vector<std::string> cone = cone_of(graph, sockets);
  const std::vector<std::string> all = symbolic_axes(graph, {cone.begin(), cone.end()});
  const auto finished = [&](Made best, std::vector<FixedAxis> fixed) {
    pair_quantised(best.model, best.constants, best.sizes);
    ExportedModel model{std::move(best.model), std::move(fixed), {}};
    if (options.document) model.groups = make_local_functions(model, *options.document, best.constants);
    return model;
  };
  auto made = model_of(graph, outputs, parameters, cone, all, options);
  if (made) return finished(std::move(*made), {});
  HW_TRY(Made best, model_of(graph, outputs, parameters, cone, {}, options));
  std::vector<FixedAxis> fixed;
  std::vector<std::string> kept;
  for (const std::string& axis : all) {
    kept.push_back(axis);
    if (all.size() > 1) made = model_of(graph, outputs, parameters, cone, kept, options);
    if (made) {
      best = std::move(*made);
      continue;
    }
    kept.pop_back();
    fixed.push_back({axis, made.error().where + ": " + made.error().reason});
  }
  return finished(std::move(best), std::move(fixed));
}

}  // namespace hw::interop
