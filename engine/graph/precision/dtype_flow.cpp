#include "engine/graph/precision/dtype_flow.h"

#include <algorithm>
#include <deque>

#include "engine/graph/check/pass_through.h"
#include "engine/node/dtype_join.h"

namespace hw {
namespace {

std::vector<DType> choices_of(const ParamDecl& param) {
  std::vector<DType> list;
  for (const std::string& choice : param.choices) {
    if (const auto dtype = dtype_from_name(choice)) list.push_back(*dtype);
  }
  return list;
}

}  // namespace

DtypeFlow::DtypeFlow(const Graph& graph) : graph_(graph) {
  std::map<std::string, size_t> waiting;
  std::deque<std::string> ready;
  for (const auto& [id, node] : graph.nodes()) {
    for (const Link& link : graph.links_into(id)) waiting[id] += graph.find(link.from) != nullptr;
    if (waiting[id] == 0) ready.push_back(id);
  }
  while (!ready.empty()) {
    const std::string id = std::move(ready.front());
    ready.pop_front();
    for (const Link& link : graph.links_from(id)) {
      if (graph.find(link.to) && --waiting[link.to] == 0) ready.push_back(link.to);
    }
    const Node& node = *graph.find(id);
    const NodeType* type = Registry::instance().find(node.type);
    if (!type) continue;
    order_.push_back(id);
    node.bypassed      ? add_handing(node, *type, false)
    : is_handing(node) ? add_handing(node, *type, true)
                       : add_node(node, *type);
  }
  for (const Link& link : graph.links()) {
    const auto from = outputs_.find({link.from, link.from_socket}), to = inputs_.find({link.to, link.to_socket});
    if (from == outputs_.end() || to == inputs_.end()) continue;
    links_.push_back(link);
    into_[link.to].push_back(link);
    out_of_[link.from].push_back(link);
    if (to->second.variable >= 0) variables_[static_cast<size_t>(to->second.variable)].has_inputs = true;
  }
}

DtypeFlow::Slot DtypeFlow::slot_of(const Node& node, const NodeType& type, const SocketDecl& socket, bool is_input) {
  const DTypeRule& rule = socket.dtype;
  if (rule.kind == DTypeRule::Kind::any) return {};
  if (rule.kind == DTypeRule::Kind::one_of) return {-1, rule.dtypes};
  const bool is_param = rule.kind == DTypeRule::Kind::parameter;
  const auto [entry, fresh] =
      index_.emplace(Place{node.id, is_param ? rule.name : "*" + rule.name}, static_cast<int>(variables_.size()));
  if (fresh) {
    DtypeVariable v;
    v.node = node.id;
    if (is_param) {
      v.param = rule.name;
      v.allowed = choices_of(*type.decl.find_param(rule.name));
      const ParamValue value = param_value(node, rule.name);
      const auto* text = std::get_if<std::string>(&value);
      v.declared = (text ? dtype_from_name(*text) : std::nullopt).value_or(v.declared);
    }
    of_node_[node.id].push_back(variables_.size());
    variables_.push_back(std::move(v));
  }
  DtypeVariable& v = variables_[static_cast<size_t>(entry->second)];
  if (!is_param && !rule.dtypes.empty()) v.allowed = rule.dtypes;
  if (!is_input) v.has_outputs = true;
  if (!socket.upstream_of.empty()) v.as_wired = true;
  return {entry->second, {}};
}

void DtypeFlow::add_node(const Node& node, const NodeType& type) {
  const Declaration declared = type.declared(node.params);
  for (const SocketDecl& socket : declared->inputs()) {
    if (socket.kind == Kind::tensor) inputs_[{node.id, socket.id}] = slot_of(node, type, socket, true);
  }
  const bool is_input = is_pass_through(node) && type.decl.find_param("dtype");  // that nothing is wired to
  for (SocketDecl socket : declared->outputs()) {
    if (is_input) socket.dtype_of("dtype");
    if (socket.kind == Kind::tensor) outputs_[{node.id, socket.id}] = slot_of(node, type, socket, false);
  }
}

bool DtypeFlow::is_handing(const Node& node) const {
  return is_pass_through(node) && !graph_.links_into(node.id, "x").empty();
}

void DtypeFlow::add_handing(const Node& node, const NodeType& type, bool as_wired) {
  const Declaration declared = type.declared(node.params);
  const auto& inputs = declared->inputs();
  const auto handed = std::find_if(inputs.begin(), inputs.end(), [&](const SocketDecl& s) {
    return s.kind == Kind::tensor && !graph_.links_into(node.id, s.id).empty();
  });
  if (handed == inputs.end()) return;
  DtypeVariable v;
  v.node = node.id;
  v.has_outputs = true;
  v.as_wired = as_wired;
  const Slot shared{static_cast<int>(variables_.size()), {}};
  of_node_[node.id].push_back(variables_.size());
  variables_.push_back(std::move(v));
  for (const SocketDecl& s : inputs) {
    if (s.kind == Kind::tensor) inputs_[{node.id, s.id}] = &s == &*handed ? shared : Slot{};
  }
  for (const SocketDecl& s : declared->outputs()) {
    if (s.kind == Kind::tensor) outputs_[{node.id, s.id}] = shared;
  }
}

int DtypeFlow::variable(std::string_view node, std::string_view param) const {
  const auto entry = index_.find({std::string(node), std::string(param)});
  return entry == index_.end() ? -1 : entry->second;
}

int DtypeFlow::input_variable(std::string_view node, std::string_view socket) const {
  const auto slot = inputs_.find({std::string(node), std::string(socket)});
  return slot == inputs_.end() ? -1 : slot->second.variable;
}

DtypeChoice DtypeFlow::settle(const Choose& choose) const {
  DtypeChoice choice(variables_.size());
  for (const std::string& id : order_) {
    const auto mine = of_node_.find(id);
    if (mine == of_node_.end()) continue;
    for (const size_t v : mine->second) {
      std::vector<DType> carried;
      if (const auto links = into_.find(id); links != into_.end()) {
        for (const Link& link : links->second) {
          if (inputs_.at({id, link.to_socket}).variable != static_cast<int>(v)) continue;
          if (const auto dtype = output(choice, link.from, link.from_socket)) carried.push_back(*dtype);
        }
      }
      if (!variables_[v].as_wired) {
        choice[v] = choose(v, carried);
      } else if (!carried.empty()) {
        choice[v] = carried.front();
      }
    }
  }
  return choice;
}

DtypeChoice DtypeFlow::present() const {
  return settle([&](size_t v, const std::vector<DType>& inputs) -> std::optional<DType> {
    if (!variables_[v].param.empty()) return variables_[v].declared;
    return inputs.empty() ? std::nullopt : std::optional(inputs.front());
  });
}

std::vector<size_t> DtypeFlow::graph_outputs() const {
  std::vector<size_t> found;
  for (size_t v = 0; v < variables_.size(); ++v) {
    const std::string& id = variables_[v].node;
    if (graph_.find(id)->type == kOutputType && id.find('/') == id.npos) found.push_back(v);
  }
  return found;
}

std::optional<DType> DtypeFlow::output(const DtypeChoice& choice, std::string_view node,
                                       std::string_view socket) const {
  const auto slot = outputs_.find({std::string(node), std::string(socket)});
  if (slot == outputs_.end()) return std::nullopt;
  std::optional<DType> dtype;
  if (slot->second.variable >= 0) {
    dtype = choice[static_cast<size_t>(slot->second.variable)];
  } else if (!slot->second.dtypes.empty()) {
    dtype = slot->second.dtypes.front();
  }
  return dtype && info(*dtype).is_float ? dtype : std::nullopt;
}

std::optional<DType> DtypeFlow::wanted(const DtypeChoice& choice, const Link& link, DType from) const {
  const Slot& slot = inputs_.at({link.to, link.to_socket});
  if (slot.variable >= 0) {
    const auto dtype = choice[static_cast<size_t>(slot.variable)];
    return dtype && *dtype != from ? dtype : std::nullopt;
  }
  if (slot.dtypes.empty() || contains(slot.dtypes, from)) return std::nullopt;
  std::optional<DType> best;
  for (const DType dtype : slot.dtypes) {
    if (!info(dtype).is_float) continue;
    const bool exact = embeds(from, dtype);
    if (!best || (exact && !embeds(from, *best)) ||
        (exact == embeds(from, *best) && exact == (info(dtype).bits < info(*best).bits)))
      best = dtype;
  }
  return best;
}

std::vector<NeededCast> DtypeFlow::casts(const DtypeChoice& choice) const {
  std::vector<NeededCast> needed;
  for (const Link& link : links_) {
    const auto from = output(choice, link.from, link.from_socket);
    if (!from) continue;
    if (const auto to = wanted(choice, link, *from)) needed.push_back({link, *from, *to});
  }
  return needed;
}

std::vector<bool> DtypeFlow::useful_in(DType dtype) const {
  std::vector<bool> useful(variables_.size(), true);
  for (size_t v = variables_.size(); v-- > 0;) {  // sinks first
    const DtypeVariable& variable = variables_[v];
    const auto links = out_of_.find(variable.node);
    if (!variable.param.empty() || links == out_of_.end()) continue;
    useful[v] = std::any_of(links->second.begin(), links->second.end(), [&](const Link& link) {
      const Slot& slot = inputs_.at({link.to, link.to_socket});
      return slot.variable >= 0 ? useful[static_cast<size_t>(slot.variable)]
                                : slot.dtypes.empty() || contains(slot.dtypes, dtype);
    });
  }
  return useful;
}

std::vector<size_t> DtypeFlow::groups_behind(std::string_view node, std::string_view socket) const {
  std::vector<size_t> groups;
  const auto links = out_of_.find(node);
  if (links == out_of_.end()) return groups;
  for (const Link& link : links->second) {
    const int v = inputs_.at({link.to, link.to_socket}).variable;
    if (link.from_socket == socket && v >= 0 && variables_[static_cast<size_t>(v)].param.empty())
      groups.push_back(static_cast<size_t>(v));
  }
  return groups;
}

}  // namespace hw
