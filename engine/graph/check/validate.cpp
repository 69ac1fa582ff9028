#include "engine/graph/check/validate.h"

#include <algorithm>
#include <deque>
#include <map>

#include "engine/graph/check/check_node.h"
#include "engine/graph/check/check_numbers.h"
#include "engine/graph/check/check_tie.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/check/check_weights.h"
#include "engine/graph/check/lower_alone.h"
#include "engine/graph/check/pass_through.h"
#include "engine/graph/groups/scope.h"

namespace hw {

namespace {

const std::vector<Diagnostic> kNone;

/// Wires from nodes of one name, or from one node, are distinguished by where they lead.
void distinguish(std::vector<Remedy>& removals) {
  std::map<std::string, int> seen;
  for (const Remedy& r : removals) ++seen[r.label];
  for (Remedy& r : removals) {
    if (seen[r.label] > 1) r.label += " into " + std::get<RemoveLink>(r.edits.front()).link.to_socket;
  }
}

/// Beyond, and if they are an eighth of all nodes, their places in the order are not looked for one by one.
constexpr size_t kManyRewired = 64;

/// These nodes, each behind those of them that it depends on, so that few are checked twice; before all those that are
/// gone, whose types must not be read any more.
std::deque<std::string> sources_first(const Graph& graph, const std::vector<std::string>& nodes) {
  std::unordered_map<std::string_view, size_t> waiting;
  for (const std::string& id : nodes) waiting.emplace(id, 0);
  std::deque<std::string> order;
  for (const std::string& id : nodes) {
    if (!graph.find(id)) {
      order.push_back(id);
      waiting.erase(id);
      continue;
    }
    for (const Link& link : graph.links_from(id))
      if (const auto to = waiting.find(link.to); to != waiting.end()) ++to->second;
  }
  const size_t gone = order.size();
  for (const std::string& id : nodes)
    if (const auto at = waiting.find(id); at != waiting.end() && at->second == 0) order.push_back(id);
  for (size_t i = gone; i < order.size(); ++i) {
    for (const Link& link : graph.links_from(order[i]))
      if (const auto to = waiting.find(link.to); to != waiting.end() && --to->second == 0) order.push_back(link.to);
  }
  for (const std::string& id : nodes)  // on a cycle, or behind one
    if (const auto at = waiting.find(id); at != waiting.end() && at->second > 0) order.push_back(id);
  return order;
}

/// What reads a source: its numbers are looked at where they are cast (check_numbers), though its types stay.
void queue_readers_of_numbers(const Graph& graph, const Node& node, std::deque<std::string>& queue) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || is_pass_through(node)) return;
  const Declaration declared = type->declared(node.params);
  if (!declared->inputs().empty()) return;
  std::vector<std::string> handing{node.id};
  std::unordered_set<std::string> seen;
  while (!handing.empty()) {
    const std::string id = std::move(handing.back());
    handing.pop_back();
    for (const Link& link : graph.links_from(id)) {
      const Node* reader = graph.find(link.to);
      if (!reader || !seen.insert(link.to).second) continue;
      queue.push_back(link.to);
      if (is_pass_through(*reader)) handing.push_back(link.to);
    }
  }
}

bool is_group_output(const NodeType* type) {
  return type && type->id == kOutputType;
}

/// A node whose device is none of `devices`.
Diagnostic missing_device(const Node& node, const std::vector<std::string>& devices) {
  Diagnostic d;
  d.code = codes::no_device;
  d.node = node.id;
  std::string known;
  for (const std::string& id : devices) known += (known.empty() ? "" : ", ") + id;
  d.reason = display_name(node) + " runs on " + node.device + ", which is not on this machine.";
  d.expected = known;
  d.got = node.device;
  d.remedies.push_back({"Run it on the graph's device", {SetDevice{node.id, ""}}});
  return d;
}

}  // namespace

void Validator::reset(const Graph& graph) {
  nodes_.clear();
  marked_.clear();
  cyclic_.clear();
  owners_.clear();
  tied_.clear();
  cones_.clear();
  std::vector<std::string> every;
  for (const auto& [id, node] : graph.nodes()) every.push_back(id);
  if (!order_.reset(graph)) find_cycles(graph);
  // Topological order, so that each node is checked once.
  std::unordered_map<std::string, size_t> waiting;
  std::deque<std::string> ready;
  for (const std::string& id : every) {
    size_t count = 0;
    for (const Link& link : graph.links_into(id)) count += graph.find(link.from) != nullptr;
    waiting[id] = count;
    if (count == 0) ready.push_back(id);
  }
  while (!ready.empty()) {
    const std::string id = std::move(ready.front());
    ready.pop_front();
    put(id, evaluate(graph, *graph.find(id)));
    for (const Link& link : graph.links_from(id)) {
      if (graph.find(link.to) && --waiting[link.to] == 0) ready.push_back(link.to);
    }
  }
  // What is left is on a cycle or behind one, or tied to a node that came later.
  for (const std::string& id : every) {
    if (!nodes_.contains(id)) put(id, evaluate(graph, *graph.find(id)));
  }
  for (const auto& [id, owner] : std::map(owners_.begin(), owners_.end())) put(id, evaluate(graph, *graph.find(id)));
}

std::vector<std::string> Validator::update(const Graph& graph, const FlatChange& change) {
  std::deque<std::string> queue = sources_first(graph, change.nodes);
  for (const std::string& id : change.nodes)
    if (const Node* node = graph.find(id)) queue_readers_of_numbers(graph, *node, queue);
  for (const auto& [id, cone] : cones_)
    if (std::ranges::any_of(change.nodes, [&](const std::string& t) { return t != id && cone.contains(t); }))
      queue.push_back(id);
  const auto fits = [&](const std::string& id) { return order_.update(graph, id); };
  // Wire by wire costs the nodes between; where much is new, everything anew costs less.
  const bool is_much = change.rewired.size() > kManyRewired && change.rewired.size() * 8 > graph.nodes().size();
  if (!cyclic_.empty() || is_much || !std::ranges::all_of(change.rewired, fits)) {
    for (const std::string& id : cyclic_) queue.push_back(id);
    cyclic_.clear();
    if (!order_.reset(graph)) find_cycles(graph);
    for (const std::string& id : cyclic_) queue.push_back(id);
  }
  std::unordered_set<std::string> queued(queue.begin(), queue.end());
  std::vector<std::string> changed;
  std::unordered_set<std::string> reported;
  const auto report = [&](const std::string& id) {
    if (reported.insert(id).second) changed.push_back(id);
  };
  std::unordered_set<std::string> rechecked;
  while (!queue.empty()) {
    const std::string id = std::move(queue.front());
    queue.pop_front();
    queued.erase(id);
    if (const auto tied = tied_.find(id); tied != tied_.end()) {  // must fit what it is now
      for (const std::string& other : tied->second)
        if (rechecked.insert(other).second && queued.insert(other).second) queue.push_back(other);
    }
    const Node* node = graph.find(id);
    if (!node) {
      set_tie(id, "");
      order_.remove(id);
      cones_.erase(id);
      marked_.erase(id);
      if (nodes_.erase(id)) report(id);
      continue;
    }
    State state = evaluate(graph, *node);
    const auto old = nodes_.find(id);
    if (old != nodes_.end() && old->second == state) continue;
    const bool types_changed =
        old == nodes_.end() || old->second.outputs != state.outputs || old->second.sockets != state.sockets;
    put(id, std::move(state));
    report(id);
    if (!types_changed) continue;
    for (const Link& link : graph.links_from(id)) {
      if (queued.insert(link.to).second) queue.push_back(link.to);
    }
  }
  return changed;
}

void Validator::put(const std::string& id, State state) {
  if (state.diagnostics.empty()) {
    marked_.erase(id);
  } else {
    marked_.insert(id);
  }
  nodes_[id] = std::move(state);
}

void Validator::set_tie(const std::string& node, const std::string& owner) {
  const auto old = owners_.find(node);
  if (old == owners_.end() ? owner.empty() : old->second == owner) return;
  if (old != owners_.end()) {
    const auto tied = tied_.find(old->second);
    tied->second.erase(node);
    if (tied->second.empty()) tied_.erase(tied);
    owners_.erase(old);
  }
  if (owner.empty()) return;
  owners_[node] = owner;
  tied_[owner].insert(node);
}

Validator::State Validator::evaluate(const Graph& graph, const Node& node) {
  InputWires wires;
  for (const Link& link : graph.links_into(node.id)) {
    wires[link.to_socket].push_back({link, output_type(link.from, link.from_socket)});
  }
  NodeCheck check = check_node(graph, node, wires);
  State state{Registry::instance().find(node.type), std::move(check.outputs), std::move(check.sockets),
              std::move(check.diagnostics)};
  const auto has_rule = [](const SocketDecl& input) { return !input.upstream_of.empty(); };
  if (state.type && std::ranges::any_of(state.type->decl.inputs(), has_rule)) {
    cones_[node.id] = upstream_nodes(graph, node.id);
  } else {
    cones_.erase(node.id);
  }
  const auto inputs = [&](const Node& of) { return input_types(graph, of); };
  const bool sound = !node.bypassed && std::ranges::none_of(state.diagnostics, [](const Diagnostic& d) {
    return d.severity == Severity::error;
  });
  if (sound && !state.outputs.empty()) {
    const InputTypes wires_in = inputs(node);
    if (const auto program = lower_alone(node, wires_in)) {
      if (auto large = check_own_sizes(node, *program))
        state.diagnostics.push_back(std::move(*large));
      else
        std::ranges::move(check_numbers(graph, node, wires_in, *program), std::back_inserter(state.diagnostics));
    }
  }
  set_tie(node.id, node.tie);
  if (node.tie.empty()) {
    auto clashes = check_weight_formats(graph, node, inputs);
    std::move(clashes.begin(), clashes.end(), std::back_inserter(state.diagnostics));
  } else {
    if (auto wrong = check_tie(graph, node, inputs)) state.diagnostics.push_back(std::move(*wrong));
  }
  if (has_device_ && !node.device.empty() && !has_device_(node.device))
    state.diagnostics.push_back(missing_device(node, all_devices_()));
  if (cyclic_.contains(node.id)) {
    for (auto& output : state.outputs) output.reset();
    Diagnostic d;
    d.code = codes::cycle;
    d.node = node.id;
    d.reason = display_name(node) + " depends on its own output.";
    for (const Link& link : graph.links_into(node.id)) {
      if (!cyclic_.contains(link.from)) continue;
      d.link = link;
      d.socket = link.to_socket;
      d.remedies.push_back({"Remove the wire from " + display_name(*graph.find(link.from)), {RemoveLink{link}}});
    }
    distinguish(d.remedies);
    state.diagnostics.push_back(std::move(d));
  }
  return state;
}

void Validator::find_cycles(const Graph& graph) {
  // Peel off nodes without inputs, then nodes without outputs: nodes between two cycles stay in the set and are as
  // untyped.
  std::unordered_map<std::string, size_t> in, out;
  for (const Link& link : graph.links()) {
    if (!graph.find(link.from) || !graph.find(link.to)) continue;
    ++in[link.to];
    ++out[link.from];
  }
  std::unordered_set<std::string> left;
  for (const auto& [id, node] : graph.nodes()) left.insert(id);
  const auto peel = [&](std::unordered_map<std::string, size_t>& degree, bool forwards) {
    std::deque<std::string> ready;
    for (const std::string& id : left) {
      if (degree[id] == 0) ready.push_back(id);
    }
    while (!ready.empty()) {
      const std::string id = std::move(ready.front());
      ready.pop_front();
      if (!left.erase(id)) continue;
      for (const Link& link : graph.links_from(id)) {
        if (left.contains(link.to) && --in[link.to] == 0 && forwards) ready.push_back(link.to);
      }
      for (const Link& link : graph.links_into(id)) {
        if (left.contains(link.from) && --out[link.from] == 0 && !forwards) ready.push_back(link.from);
      }
    }
  };
  peel(in, true);
  if (!left.empty()) peel(out, false);
  cyclic_ = std::move(left);
}

std::optional<WireType> Validator::output_type(std::string_view node, std::string_view socket) const {
  auto entry = nodes_.find(std::string(node));
  if (entry == nodes_.end()) {
    entry = nodes_.find(std::string(node) + "/" + std::string(socket));
    if (entry != nodes_.end() && !is_group_output(entry->second.type)) return std::nullopt;
    socket = "y";
  }
  if (entry == nodes_.end()) return std::nullopt;
  const State& state = entry->second;
  for (size_t i = 0; i < state.sockets.size(); ++i) {
    if (state.sockets[i] == socket) return state.outputs[i];
  }
  return std::nullopt;
}

InputTypes Validator::input_types(const Graph& graph, const Node& node) const {
  InputTypes types;
  for (const Link& link : graph.links_into(node.id)) {
    if (auto type = output_type(link.from, link.from_socket)) types[link.to_socket] = std::move(*type);
  }
  return types;
}

const std::vector<Diagnostic>& Validator::of(std::string_view node) const {
  const auto entry = nodes_.find(std::string(node));
  return entry == nodes_.end() ? kNone : entry->second.diagnostics;
}

std::vector<Diagnostic> Validator::all() const {
  std::vector<Diagnostic> all;
  for (const std::string& id : marked_) std::ranges::copy(of(id), std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.severity, a.node, a.socket, a.code) < std::tie(b.severity, b.node, b.socket, b.code);
  });
  return all;
}

const Diagnostic* Validator::of(const Link& link) const {
  for (const Diagnostic& d : of(link.to)) {
    if (d.link == link && d.severity == Severity::error) return &d;
  }
  return nullptr;
}

bool blocks(const Diagnostic& diagnostic, Pins pins) {
  return diagnostic.severity == Severity::error && (pins == Pins::count || diagnostic.code != codes::no_device);
}

const Diagnostic* Validator::blocking(const Graph& graph, std::string_view node, Pins pins) const {
  std::unordered_set<std::string> seen;
  std::deque<std::string> queue{std::string(node)};
  while (!queue.empty()) {
    const std::string id = std::move(queue.front());
    queue.pop_front();
    for (const Diagnostic& d : of(id)) {
      if (blocks(d, pins)) return &d;
    }
    for (const Link& link : graph.links_into(id)) {
      if (seen.insert(link.from).second) queue.push_back(link.from);
    }
  }
  return nullptr;
}

}  // namespace hw
