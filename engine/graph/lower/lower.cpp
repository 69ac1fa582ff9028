#include "engine/graph/lower/lower.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "engine/graph/topological_sort.h"
#include "engine/node/random_params.h"
#include "engine/program/check_sizes.h"
#include "engine/program/sample_states.h"

namespace hw {

namespace {

/// Components of a domain variable.
int64_t domain_size(std::string_view variable) {
  if (variable == "x") return 1;
  return variable == "uv" || variable == "pixel" ? 2 : 3;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const LowerOptions& options, Assets& assets)
      : graph_(graph), options_(options), assets_(assets), program_(std::make_shared<Program>()), builder_(*program_) {
    builder_.set_training(options.training);
    builder_.set_pure(options.pure);
    builder_.set_evaluation_rows(options.evaluation_rows);
    builder_.set_share(options.share);
  }

  Result<LoweredGraph> run(std::span<const SocketRef> wanted) {
    for (const SocketRef& socket : wanted) HW_CHECK(collect(socket));
    const std::vector<std::string> order = topological_sort(graph_, nodes_);
    assert(order.size() == nodes_.size() && "a validated cone has no cycle");
    for (const std::string& id : order) HW_CHECK(lower_node(id));
    if (options_.pins) pin_nodes(*program_, graph_);
    return LoweredGraph{program_, std::move(sockets_), builder_.of_batch(), builder_.same_places()};
  }

 private:
  /// The cone of `start`, stopping at sockets that become program inputs.
  Status collect(const SocketRef& start) {
    std::vector<SocketRef> stack{start};
    while (!stack.empty()) {
      const SocketRef socket = std::move(stack.back());
      stack.pop_back();
      if (!seen_.insert(socket).second) continue;
      const Node* node = graph_.find(socket.node);
      const NodeType* type = node ? Registry::instance().find(node->type) : nullptr;
      const Declaration declared = type ? type->declared(node->params) : Declaration();
      const SocketDecl* decl = declared->find_output(socket.socket);
      if (!decl) {
        return Error{codes::unknown_socket, socket.node + "." + socket.socket, "there is no such output.", ""};
      }
      if (bind(socket, *decl)) continue;
      const bool is_source = std::any_of(declared->outputs().begin(), declared->outputs().end(),
                                         [](const SocketDecl& output) { return !output.domain.empty(); });
      if (!options_.domains.empty() && is_source) {
        return Error{
            codes::not_a_field, socket.node + "." + socket.socket,
            decl->label + " of " + display_name(*node) + " exists only at its own samples, not at other positions.",
            "Show a wire that depends on its position, normal, uv or pixel alone."};
      }
      if (!nodes_.insert(socket.node).second) continue;
      for (const Link& link : graph_.links_into(socket.node)) stack.push_back({link.from, link.from_socket});
    }
    return ok();
  }

  /// Makes the socket a program input where the caller provides its value.
  bool bind(const SocketRef& socket, const SocketDecl& decl) {
    builder_.set_node(socket.node);
    if (const auto given = options_.bindings.find(socket); given != options_.bindings.end()) {
      sockets_[socket] = builder_.input(socket.node + "." + socket.socket, given->second.dtype(), given->second.dims());
      return true;
    }
    const auto domain = options_.domains.find(decl.domain);
    if (decl.domain.empty() || domain == options_.domains.end()) return false;
    Val& input = domain_inputs_[decl.domain];
    if (!input) {
      input = builder_.input(decl.domain, DType::f32, {domain->second, domain_size(decl.domain)}, {"N", "C"});
    }
    sockets_[socket] = input;
    return true;
  }

  Status lower_node(const std::string& id) {
    const Node& node = *graph_.find(id);
    const NodeType& type = *Registry::instance().find(node.type);
    const auto before = static_cast<ValueId>(program_->values.size());
    builder_.set_node(id);
    const Node* owner = node.tie.empty() ? &node : graph_.find(node.tie);
    if (!owner || owner->type != node.type || (owner != &node && !owner->tie.empty()))
      return Error{codes::bad_tie, id, "the node whose parameters it uses, \"" + node.tie + "\", does not fit.",
                   "Choose another node, or end the sharing."};
    OpBuilder::StoredAs stored;
    if (!owner->weights.empty()) {
      stored = [owner](const std::string& weight) -> std::optional<OpBuilder::Stored> {
        const WeightFormat* format = weight_format(*owner, weight);
        if (!format) return std::nullopt;
        return OpBuilder::Stored{format->dtype, format->cast};
      };
    }
    builder_.set_params_of(owner->id, owner->frozen, std::move(stored));
    LowerArgs::In in;
    for (const Link& link : graph_.links_into(id)) in[link.to_socket] = sockets_.at({link.from, link.from_socket});
    const Declaration declared = type.declared(node.params);
    const Params params(*declared, node.params);
    set_random(builder_, random_params(*declared, node.params, id));
    Lowered out;
    if (node.bypassed) {
      HW_TRY(out, pass_through(node, *declared, in));
    } else {
      out = type.lower(builder_, LowerArgs(params, in, assets_));
    }
    if (!builder_.status()) {
      Error error = builder_.status().error();
      if (error.code.starts_with("HW-A")) error = at_path(std::move(error), *declared);
      if (error.where.empty()) {
        error.where = id;
      } else if (error.where != id && !error.where.starts_with(id + ".")) {
        error.where = id + "." + error.where;
      }
      return error;
    }
    if (options_.share < 1) of_whole_batch(in, out);
    HW_CHECK(check_sizes(*program_, before));
    assert(out.size() == declared->outputs().size());
    for (size_t i = 0; i < out.size(); ++i) {
      const std::string& socket = declared->outputs()[i].id;
      sockets_[{id, socket}] = out[i];
      // A parameter, a constant or an input keeps the name it has: states are found by it.
      const Val* value = std::get_if<Val>(&out[i]);
      if (value && *value && builder_[*value].storage == Storage::temp && named_.insert(value->id).second) {
        builder_.set_name(*value, id + "." + socket);
      }
    }
    return ok();
  }

  /// What a node makes of all samples of a part is a sum or a mean of those of the whole batch. A number [] that it
  /// makes of tensors, as losses do, is a mean where it is no sum. One that has axes, as a single sample of a
  /// micro-batch has, is neither.
  void of_whole_batch(const LowerArgs::In& in, Lowered& out) {
    const auto has_axes = [&](const LowerArgs::Arg& arg) -> std::optional<bool> {
      const Val* value = std::get_if<Val>(&arg);
      return value && *value ? std::optional(!builder_[*value].dims.empty()) : std::nullopt;
    };
    const bool of_tensors = std::ranges::any_of(in, [&](const auto& arg) { return has_axes(arg.second) == true; });
    for (auto& arg : out) {
      const std::optional<bool> axes = has_axes(arg);
      if (!axes) continue;
      const Val value = std::get<Val>(arg);
      const SampleState& state = builder_.samples_of(value);
      if (state.own && state.sum && state.plain && !state.at)
        arg = builder_.batch_sum(value);
      else if ((state.own && !state.sum && !state.at) || (of_tensors && !*axes))
        arg = builder_.batch_mean(value);
    }
  }

  /// The place of a file's error is the parameter that names the file.
  static Error at_path(Error error, const NodeDecl& decl) {
    const auto is_path = [](const ParamDecl& p) { return p.type == ParamDecl::Type::path; };
    const auto param = std::find_if(decl.params().begin(), decl.params().end(), is_path);
    if (param == decl.params().end() || error.where == param->id) return error;
    if (!error.where.empty() && error.reason.find("\"" + error.where + "\"") == std::string::npos)
      error.reason = error.where + ": " + error.reason;
    error.where = param->id;
    return error;
  }

  /// A bypassed node hands its first input of the same kind through.
  static Result<Lowered> pass_through(const Node& node, const NodeDecl& decl, const LowerArgs::In& in) {
    Lowered out;
    for (const SocketDecl& output : decl.outputs()) {
      const auto alternative = static_cast<size_t>(output.kind);
      const auto& inputs = decl.inputs();
      const auto handed = std::find_if(inputs.begin(), inputs.end(), [&](const SocketDecl& input) {
        const auto arg = in.find(input.id);
        return arg != in.end() && (arg->second.index() == alternative || output.any_kind);
      });
      if (handed == inputs.end()) {
        return Error{codes::no_bypass, node.id,
                     "it is bypassed and has no input to hand through as " + output.label + ".", "Stop bypassing it."};
      }
      out.push_back(in.at(handed->id));
    }
    return out;
  }

  const Graph& graph_;
  const LowerOptions& options_;
  Assets& assets_;
  std::shared_ptr<Program> program_;
  OpBuilder builder_;
  std::map<SocketRef, LowerArgs::Arg> sockets_;
  std::map<std::string, Val> domain_inputs_;
  std::set<SocketRef> seen_;
  std::set<std::string> nodes_;
  std::set<ValueId> named_;
};

}  // namespace

void pin_nodes(Program& program, const Graph& graph) {
  program.devices.clear();
  for (size_t k = 0; k < program.nodes.size(); ++k) {
    const Node* node = graph.find(program.nodes[k]);
    if (!node || node->device.empty()) continue;
    program.devices.resize(k + 1);
    program.devices[k] = node->device;
  }
}

Result<LoweredGraph> lower(const Graph& graph, std::span<const SocketRef> wanted, const LowerOptions& options,
                           Assets& assets) {
  return Lowering(graph, options, assets).run(wanted);
}

}  // namespace hw
