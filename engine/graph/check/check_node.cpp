#include "engine/graph/check/check_node.h"

#include <algorithm>
#include <cassert>

#include "engine/core/sizes.h"
#include "engine/graph/check/check_params.h"
#include "engine/graph/check/check_type.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/insert_cast.h"

namespace hw {

namespace {

std::string list_names(const std::vector<DType>& dtypes) {
  std::string text;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (i) text += i + 1 == dtypes.size() ? " or " : ", ";
    text += name(dtypes[i]);
  }
  return text;
}

std::string with_remedy(const Error& error) {
  return error.remedy.empty() ? error.reason : error.reason + " " + error.remedy;
}

/// "Set MLP's dtype to f16", when the parameter allows it.
std::optional<Remedy> set_dtype(const Node& node, const NodeType& type, const DTypeRule& rule, DType dtype) {
  if (rule.kind != DTypeRule::Kind::parameter) return std::nullopt;
  const ParamDecl* param = type.decl.find_param(rule.name);
  const std::string value(name(dtype));
  if (!param || std::find(param->choices.begin(), param->choices.end(), value) == param->choices.end())
    return std::nullopt;
  return Remedy{"Set " + display_name(node) + "'s " + param->label + " to " + value,
                {SetParam{node.id, rule.name, ParamValue(value)}},
                Remedy::Kind::set_dtype};
}

class Checker {
 public:
  Checker(const Graph& graph, const Node& node, const NodeType& type)
      : graph_(graph), node_(node), type_(type), declared_(type.declared(node.params)) {}

  NodeCheck run(const InputWires& wires) {
    report_params();
    // Which inputs there are, wrong parameters leave open.
    if (declared_.status()) check_inputs(wires);
    for (const Link& link : graph_.links_from(node_.id)) {
      if (graph_.find(link.to)) continue;
      if (is_instance(link.to)) {
        report_link(codes::unknown_socket, "", link, "\"" + link.to + "\" has no input \"" + link.to_socket + "\".");
      } else {
        report_link(codes::unknown_node, "", link, "A wire leads to \"" + link.to + "\", which does not exist.");
      }
    }
    for (const SocketDecl& output : declared_->outputs()) {
      // A mesh or image wire has one type, so what is wired behind it can be checked before a file is chosen.
      result_.sockets.push_back(output.id);
      const bool one_type = output.kind == Kind::mesh || output.kind == Kind::image;
      result_.outputs.push_back(one_type ? std::optional(WireType{output.kind, {}, {}, false}) : std::nullopt);
    }
    if (!blocked_) node_.bypassed ? bypass() : shapes();
    blame_bypassed();
    return std::move(result_);
  }

 private:
  Diagnostic& report(const char* code, std::string socket, std::string reason) {
    blocked_ = true;
    Diagnostic d;
    d.code = code;
    d.node = node_.id;
    d.socket = std::move(socket);
    d.reason = std::move(reason);
    return result_.diagnostics.emplace_back(std::move(d));
  }

  /// What the node says of itself: of a parameter that names a file, too.
  Diagnostic& report_wrong(const Error& error) {
    Diagnostic& d = report(error.code.c_str(), error.where, with_remedy(error));
    const ParamDecl* param = type_.decl.find_param(error.where);
    if (param && param->type == ParamDecl::Type::path) d.remedies.push_back({"Choose a File…", {}});
    return d;
  }

  void report_params() {
    for (Diagnostic& d : check_params(node_, type_.decl)) {
      blocked_ = true;
      result_.diagnostics.push_back(std::move(d));
    }
    if (const Status& status = declared_.status(); !status && !blocked_) report_wrong(status.error());
  }

  void check_inputs(const InputWires& wires) {
    for (const SocketDecl& socket : declared_->inputs()) check_input(socket, wires);
    for (const SocketDecl& socket : declared_->inputs()) check_upstream(socket, wires);
    for (const auto& [socket, list] : wires) {
      if (declared_->find_input(socket)) continue;
      for (const InputWire& wire : list) {
        report_link(codes::unknown_socket, socket, wire.link, type_.decl.title() + " has no input \"" + socket + "\".");
      }
    }
  }

  void check_input(const SocketDecl& socket, const InputWires& wires) {
    const auto entry = wires.find(socket.id);
    if (entry == wires.end() || entry->second.empty()) {
      if (!socket.optional) {
        Diagnostic& d =
            report(codes::missing_input, socket.id, socket.label + " of " + display_name(node_) + " is not wired.");
        d.remedies.push_back({"Wire an output into it", {}});
      }
      return;
    }
    if (entry->second.size() > 1) {
      check_extra_wire(socket, entry->second);
      return;
    }
    const InputWire& wire = entry->second.front();
    if (!wire.type) {
      check_source(socket, wire.link);
      return;
    }
    if (wire.type->kind != socket.kind && !socket.any_kind) {
      Diagnostic& d = report(codes::kind_mismatch, socket.id,
                             socket.label + " of " + display_name(node_) + " takes " + with_article(socket.kind) +
                                 ", the wire carries " + with_article(wire.type->kind) + ".");
      d.link = wire.link;
      d.expected = name(socket.kind);
      d.got = name(wire.type->kind);
      d.remedies.push_back({"Remove the wire", {RemoveLink{wire.link}}});
      return;
    }
    if (wire.type->kind == Kind::tensor && !check_dtype(socket, wire)) return;
    inputs_.emplace(socket.id, *wire.type);
  }

  /// The one that comes from nowhere goes, else the last.
  void check_extra_wire(const SocketDecl& socket, const std::vector<InputWire>& wires) {
    const auto missing =
        std::find_if(wires.begin(), wires.end(), [&](const InputWire& wire) { return !has_source(wire.link); });
    const Link& extra = (missing == wires.end() ? wires.back() : *missing).link;
    const std::string from = "\"" + extra.from + "." + extra.from_socket + "\"";
    Diagnostic& d = report(codes::duplicate_link, socket.id,
                           socket.label + " has " + std::to_string(wires.size()) + " wires; one comes from " + from +
                               (missing == wires.end() ? "." : ", which does not exist."));
    d.link = extra;
    d.remedies.push_back({"Remove the wire from " + from, {RemoveLink{extra}}});
  }

  static std::string with_article(Kind kind) {
    const std::string_view of = name(kind);
    return (std::string_view("aeiou").find(of.front()) == std::string_view::npos ? "a " : "an ") + std::string(of);
  }

  /// Whether the output that a wire leaves is there, as far as is known.
  bool has_source(const Link& link) const {
    const Node* source = graph_.find(link.from);
    const NodeType* type = source ? Registry::instance().find(source->type) : nullptr;
    return source && (!type || type->declared(source->params).has_output(link.from_socket));
  }

  /// The wire has no type: the source's own diagnostics say why, unless its socket does not exist.
  void check_source(const SocketDecl& socket, const Link& link) {
    blocked_ = true;
    if (has_source(link)) return;
    if (is_instance(link.from)) {
      report_link(codes::unknown_socket, socket.id, link,
                  "\"" + link.from + "\" has no output \"" + link.from_socket + "\".");
      return;
    }
    report_link(codes::unknown_socket, socket.id, link,
                "The wire comes from \"" + link.from + "." + link.from_socket + "\", which does not exist.");
  }

  /// Whether it is an instance of a group, found from the nodes of a flat graph that are in it.
  bool is_instance(const std::string& id) const {
    const auto inside = graph_.nodes().lower_bound(id + "/");
    return inside != graph_.nodes().end() && inside->first.starts_with(id + "/");
  }

  void report_link(const char* code, const std::string& socket, const Link& link, std::string reason) {
    Diagnostic& d = report(code, socket, std::move(reason));
    d.link = link;
    d.remedies.push_back({"Remove the wire", {RemoveLink{link}}});
  }

  void check_upstream(const SocketDecl& socket, const InputWires& wires) {
    const SocketDecl* other = declared_->find_input(socket.upstream_of);
    const auto from = wires.find(socket.id), to = other ? wires.find(other->id) : wires.end();
    if (node_.bypassed || from == wires.end() || to == wires.end()) return;
    if (from->second.size() != 1 || to->second.size() != 1) return;
    const Link &early = from->second.front().link, &late = to->second.front().link;
    if (depends_on(graph_, late, early)) return;
    report_link(codes::not_upstream, socket.id, early,
                other->label + " of " + display_name(node_) + " does not depend on its " + socket.label + ": \"" +
                    late.from + "." + late.from_socket + "\" is not made of \"" + early.from + "." + early.from_socket +
                    "\".");
  }

  bool check_dtype(const SocketDecl& socket, const InputWire& wire) {
    const DType got = wire.type->dtype;
    std::vector<DType> accepted;
    std::string why;
    if (const auto limit = accepted_dtypes(type_, node_, socket); limit && !contains(*limit, got)) {
      accepted = *limit;
      why = socket.dtype.kind == DTypeRule::Kind::parameter ? " computes in " : " takes ";
    } else if (socket.dtype.kind == DTypeRule::Kind::group) {
      const auto [group, first] = groups_.emplace(socket.dtype.name, got);
      if (first || group->second == got) return true;
      accepted = {group->second};
      why = " has " + std::string(name(group->second)) + " on its other input; it takes ";
    } else {
      return true;
    }
    Diagnostic& d = report(codes::dtype_mismatch, socket.id,
                           "The wire carries " + std::string(name(got)) + ", but " + display_name(node_) + why +
                               list_names(accepted) + ".");
    d.link = wire.link;
    d.expected = list_names(accepted);
    d.got = name(got);
    const bool floats = info(got).is_float && info(accepted.front()).is_float;
    if (is_cast_target(accepted.front()) && socket.upstream_of.empty())
      d.remedies.push_back({insert_cast_label(got, accepted.front()), insert_cast(graph_, wire.link, accepted.front()),
                            Remedy::Kind::insert_cast});
    if (auto remedy = set_dtype(node_, type_, socket.dtype, got)) d.remedies.push_back(std::move(*remedy));
    if (const Node* source = graph_.find(wire.link.from)) {
      const NodeType* source_type = Registry::instance().find(source->type);
      const Declaration from = source_type ? source_type->declared(source->params) : Declaration();
      if (const SocketDecl* output = from->find_output(wire.link.from_socket)) {
        if (auto remedy = set_dtype(*source, *source_type, output->dtype, accepted.front())) {
          d.remedies.push_back(std::move(*remedy));
        }
      }
    }
    if (floats && is_cast_target(accepted.front())) add_graph_remedies(d, {}, accepted.front());
    return false;
  }

  void bypass() {
    const auto& outputs = declared_->outputs();
    const auto& inputs = declared_->inputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto handed = std::find_if(inputs.begin(), inputs.end(), [&](const SocketDecl& input) {
        const auto in = inputs_.find(input.id);
        return in != inputs_.end() && (in->second.kind == outputs[i].kind || outputs[i].any_kind);
      });
      if (handed != inputs.end()) {
        result_.outputs[i] = inputs_.at(handed->id);
      } else if (!blocked_) {
        Diagnostic& d =
            report(codes::no_bypass, "",
                   display_name(node_) + " is bypassed, but it has no " + std::string(name(outputs[i].kind)) +
                       " input to hand through as " + outputs[i].label + ".");
        d.remedies.push_back({"Stop bypassing " + display_name(node_), {SetFlags{node_.id, node_.collapsed, false}}});
      }
    }
  }

  /// Where an input is wrong because of what a bypassed node hands on, that comes first among the remedies.
  void blame_bypassed() {
    for (Diagnostic& d : result_.diagnostics) {
      if (!d.link && !declared_->find_input(d.socket)) continue;
      const Node* cause = bypassed_before(d.link && d.code == codes::dtype_mismatch ? std::vector{*d.link}
                                                                                    : graph_.links_into(node_.id));
      if (!cause) continue;
      d.remedies.insert(d.remedies.begin(),
                        {"Stop bypassing " + display_name(*cause), {SetFlags{cause->id, cause->collapsed, false}}});
    }
  }

  /// The nearest bypassed node that these wires depend on and that would give another type than it hands on, as far as
  /// its declaration says.
  const Node* bypassed_before(std::vector<Link> wires) const {
    constexpr size_t kFar = 64;  // wires
    for (size_t i = 0; i < wires.size() && i < kFar; ++i) {
      const Node* from = graph_.find(wires[i].from);
      const NodeType* type = from ? Registry::instance().find(from->type) : nullptr;
      if (!type) continue;
      const SocketDecl* output = type->decl.find_output(wires[i].from_socket);
      if (from->bypassed && (!output || output->dtype.kind != DTypeRule::Kind::group)) return from;
      const std::vector<Link> before = graph_.links_into(from->id);
      wires.insert(wires.end(), before.begin(), before.end());
    }
    return nullptr;
  }

  void shapes() {
    const Params params(*declared_, node_.params);
    auto shapes = type_.shape(ShapeArgs(params, inputs_));
    if (!shapes) {
      const Error& error = shapes.error();
      Diagnostic& d = report_wrong(error);
      if (const auto links = graph_.links_into(node_.id, error.where); !links.empty()) {
        d.link = links.front();
        d.got = inputs_.contains(error.where) ? to_string(inputs_.at(error.where).shape) : "";
      }
      return;
    }
    assert(shapes->size() == declared_->outputs().size());
    const bool field = std::any_of(inputs_.begin(), inputs_.end(), [](const auto& in) { return in.second.field; });
    for (size_t i = 0; i < shapes->size(); ++i) {
      const SocketDecl& output = declared_->outputs()[i];
      WireType type = (*shapes)[i];
      if (!output.any_kind) type.kind = output.kind;
      type.field = field || !output.domain.empty();
      if (output.dtype.kind == DTypeRule::Kind::parameter) {
        type.dtype = params.dtype(output.dtype.name);
      } else if (output.dtype.kind == DTypeRule::Kind::one_of) {
        type.dtype = output.dtype.dtypes.front();
      } else if (output.dtype.kind == DTypeRule::Kind::group) {
        if (const auto group = groups_.find(output.dtype.name); group != groups_.end()) type.dtype = group->second;
      }
      if (type.kind == Kind::tensor) {
        if (const Status fits = check_size(type.dtype, type.shape.dims()); !fits) {
          Error error = fits.error();
          error.where = output.id;
          error.reason = output.label + " of " + display_name(node_) + " is too large: " + error.reason;
          report_wrong(error);
          continue;
        }
      }
      result_.outputs[i] = std::move(type);
    }
  }

  const Graph& graph_;
  const Node& node_;
  const NodeType& type_;
  const Declaration declared_;
  ShapeArgs::In inputs_;
  std::map<std::string, DType> groups_;
  bool blocked_ = false;
  NodeCheck result_;
};

}  // namespace

std::optional<std::vector<DType>> accepted_dtypes(const NodeType& type, const Node& node, const SocketDecl& socket) {
  switch (socket.dtype.kind) {
    case DTypeRule::Kind::any:
      return std::nullopt;
    case DTypeRule::Kind::one_of:
      return socket.dtype.dtypes;
    case DTypeRule::Kind::group:
      return socket.dtype.dtypes.empty() ? std::nullopt : std::optional(socket.dtype.dtypes);
    case DTypeRule::Kind::parameter: {
      const auto* text = std::get_if<std::string>(&param_value(type.decl, node.params, socket.dtype.name));
      const auto dtype = text ? dtype_from_name(*text) : std::nullopt;
      if (!dtype) return std::nullopt;  // the parameter's own diagnostic says so
      return std::vector<DType>{*dtype};
    }
  }
  return std::nullopt;
}

NodeCheck check_node(const Graph& graph, const Node& node, const InputWires& wires) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type) return {{}, {}, {unknown_type(graph, node)}};
  return Checker(graph, node, *type).run(wires);
}

}  // namespace hw
