#include "engine/compare/dump_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/core/codes.h"
#include "engine/graph/topological_sort.h"
#include "engine/graph/validate.h"
#include "engine/plan/write_weights.h"

namespace hw {
namespace {

constexpr double kTiny = 1e-7;  // below this numbers are alike

/// Letters and digits alone, without a leading "module.".
std::string plain(std::string text) {
  if (text.starts_with("module.")) text.erase(0, 7);
  std::string made;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) made += c;
    if (c >= 'A' && c <= 'Z') made += static_cast<char>(c - 'A' + 'a');
  }
  return made;
}

struct WireOf {
  SocketRef socket;
  WireType type;
};

/// All tensors that can be computed, in order.
std::vector<WireOf> wires_of(const Graph& graph, const Validator& validator) {
  std::set<std::string> all;
  for (const auto& [id, node] : graph.nodes()) all.insert(id);
  std::vector<WireOf> wires;
  for (const std::string& id : topological_sort(graph, all)) {
    const Node& node = *graph.find(id);
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || validator.blocking(graph, id)) continue;
    const Declaration declared = type->declared(node.params);
    for (const SocketDecl& output : declared->outputs()) {
      const auto known = validator.output_type(id, output.id);
      if (known && known->kind == Kind::tensor) wires.push_back({{id, output.id}, *known});
    }
  }
  return wires;
}

class Matcher {
 public:
  Matcher(const Graph& graph, const std::vector<WireOf>& wires) : graph_(graph), wires_(wires) {}

  Result<std::map<size_t, std::pair<std::string, DumpMatch>>> match(const Dump& dump, const DumpOptions& options) {
    for (const auto& [tensor, wire] : options.names) {
      if (!dump.contains(tensor)) continue;
      const auto found = by_wire(wire);
      if (!found)
        return Error{codes::unknown_socket, wire, "the graph has no such wire to hold \"" + tensor + "\" against.",
                     "Name NODE.SOCKET, or a node for its first output."};
      if (const auto other = found_.find(*found); other != found_.end())
        return Error{codes::bad_usage, wire,
                     "both \"" + other->second.first + "\" and \"" + tensor + "\" are named as it.",
                     "Name each wire once."};
      take(*found, tensor, DumpMatch::map);
    }
    for (const auto& [tensor, value] : dump)
      if (!taken_.contains(tensor)) by_name(tensor);
    by_shape(dump);
    return found_;
  }
  bool has(const std::string& tensor) const { return taken_.contains(tensor); }

 private:
  std::optional<size_t> by_wire(const std::string& wire) const {
    for (size_t i = 0; i < wires_.size(); ++i) {
      const SocketRef& s = wires_[i].socket;
      if (s.node == wire || s.node + "." + s.socket == wire) return i;
    }
    return std::nullopt;
  }
  void take(size_t wire, const std::string& tensor, DumpMatch how) {
    if (found_.contains(wire)) return;
    found_[wire] = {tensor, how};
    taken_.insert(tensor);
  }
  void by_name(const std::string& tensor) {
    const std::string wanted = plain(tensor);
    for (size_t i = 0; i < wires_.size(); ++i) {
      const SocketRef& s = wires_[i].socket;
      const Node& node = *graph_.find(s.node);
      const bool first = i == 0 || wires_[i - 1].socket.node != s.node;
      const bool whole = first && (plain(node.name) == wanted || plain(node.id) == wanted);
      if (!found_.contains(i) && (whole || plain(s.node + "." + s.socket) == wanted))
        return take(i, tensor, DumpMatch::name);
    }
  }
  /// Where one wire and one tensor alone are left of some sizes.
  void by_shape(const Dump& dump) {
    std::map<Dims, std::vector<std::string>> tensors;
    for (const auto& [tensor, value] : dump)
      if (!taken_.contains(tensor)) tensors[value.dims()].push_back(tensor);
    std::map<Dims, std::vector<size_t>> wires;
    for (size_t i = 0; i < wires_.size(); ++i)
      if (!found_.contains(i)) wires[wires_[i].type.shape.dims()].push_back(i);
    for (const auto& [dims, names] : tensors)
      if (const auto same = wires.find(dims); names.size() == 1 && same != wires.end() && same->second.size() == 1)
        take(same->second.front(), names.front(), DumpMatch::shape);
  }

  const Graph& graph_;
  const std::vector<WireOf>& wires_;
  std::map<size_t, std::pair<std::string, DumpMatch>> found_;
  std::set<std::string> taken_;
};

void compare(DumpItem& item, const Tensor& made, const Tensor& wanted, double relative) {
  if (made.dims() != wanted.dims()) {
    item.error = std::numeric_limits<double>::infinity();
    item.note = "sizes " + to_string(made.dims()) + " beside " + to_string(wanted.dims());
    return;
  }
  const std::vector<double> a = made.to_f64(), b = wanted.to_f64();
  double largest = 0;
  for (const double value : b)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double allowed = relative * largest + kTiny;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double error = std::abs(a[i] - b[i]) / allowed;
    item.error = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(item.error, error);
  }
}

}  // namespace

std::string_view name(DumpMatch match) {
  return match == DumpMatch::map ? "map" : match == DumpMatch::name ? "name" : "shape";
}

Result<DumpReport> compare_with_dump(const Graph& graph, Assets& assets, const std::shared_ptr<Device>& device,
                                     const Dump& dump, const DumpOptions& options) {
  Validator validator;
  validator.reset(graph);
  const std::vector<WireOf> wires = wires_of(graph, validator);
  Matcher matcher(graph, wires);
  HW_TRY(const auto matched, matcher.match(dump, options));
  DumpReport report;
  for (const auto& [tensor, value] : dump)
    if (!matcher.has(tensor)) report.unmatched.push_back(tensor);
  std::map<SocketRef, Tensor> given;
  std::vector<SocketRef> wanted;
  for (const auto& [wire, of] : matched) {
    const SocketRef& socket = wires[wire].socket;
    const Tensor& value = dump.at(of.first);
    if (graph.find(socket.node)->type == "input")
      given[socket] = value.to(wires[wire].type.dtype);
    else
      wanted.push_back(socket);
  }
  if (wanted.empty()) return report;
  LowerOptions lowering;
  lowering.bindings = given;
  HW_TRY(const LoweredGraph lowered, lower(graph, wanted, lowering, assets));
  std::vector<ValueId> values;
  for (const SocketRef& socket : wanted) {
    values.push_back(std::get<Val>(lowered.sockets.at(socket)).id);
    lowered.program->outputs.push_back({socket.node + "." + socket.socket, values.back()});
  }
  HW_TRY(const std::shared_ptr<States> states, device->prepare_states(*lowered.program, nullptr, 0, nullptr));
  if (options.weights) {
    HW_TRY(const std::vector<std::string> missing, write_weights(*lowered.program, *states, *options.weights));
    if (!missing.empty()) return missing_parameter(missing.front());
  }
  HW_TRY(const std::unique_ptr<Executable> executable, device->compile(lowered.program, states, values));
  for (const auto& [socket, value] : given)
    if (lowered.sockets.contains(socket)) HW_CHECK(executable->write_input(socket.node + "." + socket.socket, value));
  HW_CHECK(executable->run({}));

  std::map<SocketRef, size_t> at;
  for (size_t i = 0; i < wanted.size(); ++i) at[wanted[i]] = i;
  for (const auto& [wire, of] : matched) {
    const SocketRef& socket = wires[wire].socket;
    const auto found = at.find(socket);
    if (found == at.end()) continue;
    DumpItem item{socket, of.first, of.second, 0, false, false, ""};
    HW_TRY(const Tensor made, executable->read(values[found->second]));
    compare(item, made, dump.at(of.first), options.relative);
    report.items.push_back(std::move(item));
  }
  std::set<std::string> all, off;  // off: nodes that diverge, or are made of one that does and nothing agrees between
  std::multimap<std::string, size_t> items;
  for (const auto& [id, node] : graph.nodes()) all.insert(id);
  for (size_t i = 0; i < report.items.size(); ++i) items.emplace(report.items[i].socket.node, i);
  for (const std::string& id : topological_sort(graph, all)) {
    const auto links = graph.links_into(id);
    const bool inherits = std::any_of(links.begin(), links.end(), [&](const Link& l) { return off.contains(l.from); });
    bool agrees = !inherits;
    for (auto [i, end] = items.equal_range(id); i != end; ++i) {
      DumpItem& item = report.items[i->second];
      agrees = item.error <= 1;
      if (agrees) continue;
      (inherits ? item.inherited : item.diverges) = true;
      if (item.diverges && !report.first) report.first = i->second;
      break;
    }
    if (!agrees) off.insert(id);
  }
  return report;
}

}  // namespace hw
