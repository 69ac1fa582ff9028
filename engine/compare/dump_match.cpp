#include "engine/compare/dump_match.h"

#include <algorithm>
#include <set>

#include "engine/compare/dump_hints.h"
#include "engine/compare/module_names.h"
#include "engine/core/codes.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/graph/topological_sort.h"

namespace hw {
namespace {

/// Letters and digits alone, without a leading "module.".
std::string plain(std::string_view text) {
  if (text.starts_with("module.")) text.remove_prefix(7);
  std::string made;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) made += c;
    if (c >= 'A' && c <= 'Z') made += static_cast<char>(c - 'A' + 'a');
  }
  return made;
}

class Matcher {
 public:
  Matcher(const Graph& graph, const std::vector<DumpWire>& wires, const Dump& dump)
      : graph_(graph), wires_(wires), names_(graph, dump) {
    for (const auto& [socket, type] : wires) {
      const Node& node = *graph.find(socket.node);
      const std::string_view instance = instance_of(node);
      if (instance.empty()) continue;
      const Node*& first = first_outputs_[instance];
      if (!first || std::tie(node.y, node.x) < std::tie(first->y, first->x)) first = &node;  // as interfaces list them
    }
  }

  Result<DumpMatches> match(const Dump& dump, const std::map<std::string, std::string>& names) {
    for (const auto& [tensor, wire] : names) {
      if (!dump.contains(tensor)) continue;
      const auto found = by_wire(wire);
      if (!found)
        return Error{codes::unknown_socket, wire, "the graph has no such wire to hold \"" + tensor + "\" against.",
                     "Name NODE.SOCKET, or a node for its first output."};
      if (const auto other = made_.found.find(*found); other != made_.found.end())
        return Error{codes::bad_usage, wire,
                     "both \"" + other->second.first + "\" and \"" + tensor + "\" are named as it.",
                     "Name each wire once."};
      take(*found, tensor, DumpMatch::map);
    }
    const auto whole = whole_model(dump);
    if (whole) taken_.insert(whole->first);
    for (const auto& [tensor, value] : dump)
      if (!taken_.contains(tensor)) by_name(tensor, value.dims());
    for (const auto& [tensor, value] : dump)
      if (!taken_.contains(tensor)) by_scope(tensor, value.dims());
    by_shape(dump);
    if (whole) take(whole->second, whole->first, DumpMatch::name);
    for (const auto& [tensor, value] : dump)
      if (!taken_.contains(tensor)) by_other_sizes(tensor, value.dims());
    return std::move(made_);
  }

 private:
  std::optional<size_t> by_wire(const std::string& wire) const {
    for (size_t i = 0; i < wires_.size(); ++i) {
      const SocketRef& s = wires_[i].socket;
      if (s.node == wire || s.node + "." + s.socket == wire) return i;
    }
    return std::nullopt;
  }
  /// The last use of a layer that is used several times, whose values a dump keeps. Later uses are tied to the first,
  /// and numbered: conv, conv_2, … conv_10.
  size_t last_use(size_t wire) const {
    const SocketRef& s = wires_[wire].socket;
    const auto number = [&](size_t i) { return std::pair(wires_[i].socket.node.size(), wires_[i].socket.node); };
    size_t last = wire;
    for (size_t i = 0; i < wires_.size(); ++i) {
      const SocketRef& other = wires_[i].socket;
      if (other.socket != s.socket || graph_.find(other.node)->tie != s.node) continue;
      if (last == wire || number(last) < number(i)) last = i;
    }
    return last;
  }
  void take(size_t wire, const std::string& tensor, DumpMatch how) {
    if (how == DumpMatch::name) wire = last_use(wire);
    made_.found.emplace(wire, std::pair(tensor, how));
    taken_.insert(tensor);
  }
  bool is_first_output(size_t wire) const {
    return wire == 0 || wires_[wire - 1].socket.node != wires_[wire].socket.node;
  }
  bool leaves(size_t wire, const std::set<std::string>& nodes) const {
    const SocketRef& s = wires_[wire].socket;
    const auto& links = graph_.links_from(s.node, s.socket);
    return links.empty() || std::ranges::any_of(links, [&](const Link& link) { return !nodes.contains(link.to); });
  }
  /// What leaves the nodes for which `is_part` holds of their names.
  template <class F>
  std::vector<size_t> leaving(F is_part) const {
    std::set<std::string> nodes;
    for (const auto& [socket, type] : wires_)
      if (is_part(names_[socket.node])) nodes.insert(socket.node);
    std::vector<size_t> found;
    for (size_t i = 0; i < wires_.size(); ++i)
      if (nodes.contains(wires_[i].socket.node) && leaves(i, nodes)) found.push_back(i);
    return found;
  }
  bool is_named(size_t wire, const std::string& wanted, const Dims& dims) const {
    const SocketRef& s = wires_[wire].socket;
    const Node& node = *graph_.find(s.node);
    if (is_first_output(wire) && ((plain(names_[s.node]) == wanted && may_be(wire, dims)) || plain(s.node) == wanted))
      return true;
    const std::string_view instance = instance_of(node);
    if (!instance.empty() && first_outputs_.at(instance) == &node && plain(instance) == wanted) return true;
    return plain(s.node + "." + s.socket) == wanted;
  }
  /// Sizes of a tensor that the wire may have. An Input takes those of its tensor.
  bool may_be(size_t wire, const Dims& dims) const {
    const Shape& shape = wires_[wire].type.shape;
    if (is_graph_input(graph_, *graph_.find(wires_[wire].socket.node))) return true;
    if (shape.rank() != dims.size()) return false;
    for (size_t d = 0; d < dims.size(); ++d)
      if (shape[d].known() && shape[d].size != dims[d]) return false;
    return true;
  }
  /// The module that all others are in, whatever part of the graph has its name, and the graph's only output of its
  /// sizes.
  std::optional<std::pair<std::string, size_t>> whole_model(const Dump& dump) const {
    const auto is_input = [&](const std::string& tensor) {
      const Node* node = graph_.find(tensor);
      return node && is_graph_input(graph_, *node);
    };
    for (const auto& [model, value] : dump) {
      const auto is_within = [&](const auto& other) {
        return other.first == model || other.first.starts_with(model + ".") || is_input(other.first);
      };
      const auto is_part = [&](const auto& other) { return other.first.starts_with(model + "."); };
      if (taken_.contains(model) || !std::ranges::any_of(dump, is_part) || !std::ranges::all_of(dump, is_within))
        continue;
      std::vector<size_t> ends;
      for (size_t i = 0; i < wires_.size(); ++i)
        if (may_be(i, value.dims()) && is_read_by_output(i)) ends.push_back(i);
      if (ends.size() == 1) return std::pair(model, ends.front());
    }
    return std::nullopt;
  }
  bool is_read_by_output(size_t wire) const {
    const SocketRef& s = wires_[wire].socket;
    return std::ranges::any_of(graph_.links_from(s.node, s.socket), [&](const Link& link) {
      const Node* reader = graph_.find(link.to);
      return reader && reader->type == kOutputType && instance_of(*reader).empty();
    });
  }
  /// Whether a node is of the module itself, not of one in it.
  static bool is_of(const std::string& name, const std::string& tensor) {
    return !name.empty() && plain(name) == plain(tensor);
  }
  /// What leaves a module that became several operators: SiLU is a Sigmoid and a Mul of one name. Other modules may lie
  /// in it.
  std::vector<size_t> leaving_module(const std::string& tensor) const {
    const std::string scope = scope_of(tensor);
    return leaving([&](const std::string& name) { return is_of(name, tensor) || name.starts_with(scope); });
  }
  /// Those that nodes of the module itself make and no tensor has.
  std::vector<size_t> own_ends(const std::string& tensor) const {
    std::vector<size_t> ends = leaving_module(tensor);
    std::erase_if(ends, [&](size_t wire) {
      const Node& node = *graph_.find(wires_[wire].socket.node);
      const std::string_view instance = instance_of(node);
      return made_.found.contains(wire) || !is_first_output(wire) || !is_of(names_[node.id], tensor) ||
             (!instance.empty() && first_outputs_.at(instance) != &node);
    });
    return ends;
  }
  void by_name(const std::string& tensor, const Dims& dims) {
    const std::string wanted = plain(tensor);
    std::vector<size_t> ends = own_ends(tensor);
    std::erase_if(ends, [&](size_t wire) { return !may_be(wire, dims); });
    if (!ends.empty()) return take(ends.back(), tensor, DumpMatch::name);
    // What those of its name make stays in the module: another one in it makes what leaves.
    if (std::ranges::any_of(wires_, [&](const auto& w) { return is_of(names_[w.socket.node], tensor); })) {
      of_module_.insert(tensor);
      return;
    }
    for (size_t i = 0; i < wires_.size(); ++i)
      if (!made_.found.contains(i) && is_named(i, wanted, dims)) return take(i, tensor, DumpMatch::name);
  }
  /// "layer.0." of "module.layer.0".
  static std::string scope_of(const std::string& tensor) { return without_wrapper(tensor) + "."; }
  /// Modules in modules hand on what one in them makes, so that a wire may be that of several.
  void by_scope(const std::string& tensor, const Dims& dims) {
    std::vector<size_t> ends = leaving_module(tensor);
    std::erase_if(ends, [&](size_t wire) { return wires_[wire].type.shape.dims() != dims; });
    if (ends.size() == 1) take(ends.front(), tensor, DumpMatch::name);
  }
  /// Where one wire and one tensor alone are left of some sizes.
  void by_shape(const Dump& dump) {
    std::map<Dims, std::vector<std::string>> tensors;
    for (const auto& [tensor, value] : dump)
      if (!taken_.contains(tensor) && !of_module_.contains(tensor)) tensors[value.dims()].push_back(tensor);
    std::map<Dims, std::vector<size_t>> wires;
    for (size_t i = 0; i < wires_.size(); ++i)
      if (!made_.found.contains(i)) wires[wires_[i].type.shape.dims()].push_back(i);
    for (const auto& [dims, names] : tensors)
      if (const auto same = wires.find(dims); names.size() == 1 && same != wires.end() && same->second.size() == 1)
        take(same->second.front(), names.front(), DumpMatch::shape);
  }
  /// A module of which nothing that leaves it has as many elements is another one than the tensor's. Where something
  /// has as many, it is the layout of an operator in it, as the transpose of a weight: nothing is compared.
  void by_other_sizes(const std::string& tensor, const Dims& dims) {
    std::string why;
    const std::vector<size_t> own = own_ends(tensor);
    if (of_module_.contains(tensor) && !own.empty()) {
      const Dims& made = wires_[own.back()].type.shape.dims();
      const std::vector<size_t> all = leaving_module(tensor);
      if (std::ranges::none_of(all, [&](size_t wire) { return may_have(wire, element_count(dims)); }))
        return take(own.back(), tensor, DumpMatch::name);
      why = other_sizes(dims, wires_[own.back()].socket.node, made);
    }
    made_.unmatched.emplace(tensor, std::move(why));
  }
  bool may_have(size_t wire, int64_t elements) const {
    const Shape& shape = wires_[wire].type.shape;
    for (size_t d = 0; d < shape.rank(); ++d)
      if (!shape[d].known()) return true;
    return element_count(shape.dims()) == elements;
  }

  const Graph& graph_;
  const std::vector<DumpWire>& wires_;
  const ModuleNames names_;
  std::map<std::string_view, const Node*> first_outputs_;  // by the path of the instance
  DumpMatches made_;
  std::set<std::string> taken_;
  std::set<std::string> of_module_;  // tensors whose module is in the graph, where none of its wires may be theirs
};

}  // namespace

std::string other_sizes(const Dims& tensor, const std::string& node, const Dims& made) {
  return "it is " + to_string(tensor) + ", what " + node + " makes " + to_string(made) +
         (has_channels_last(tensor, made) ? ": its channels are the last axis" : "");
}

std::string_view name(DumpMatch match) {
  return match == DumpMatch::map ? "map" : match == DumpMatch::name ? "name" : "shape";
}

std::vector<DumpWire> dump_wires(const Graph& flat, const Validator& validator) {
  std::set<std::string> all;
  for (const auto& [id, node] : flat.nodes()) all.insert(id);
  std::vector<DumpWire> wires;
  for (const std::string& id : topological_sort(flat, all)) {
    const Node& node = *flat.find(id);
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || validator.blocking(flat, id)) continue;
    const Declaration declared = type->declared(node.params);
    for (const SocketDecl& output : declared->outputs()) {
      const auto known = validator.output_type(id, output.id);
      if (known && known->kind == Kind::tensor) wires.push_back({{id, output.id}, *known});
    }
  }
  return wires;
}

Result<DumpMatches> match_dump(const Graph& flat, const std::vector<DumpWire>& wires, const Dump& dump,
                               const std::map<std::string, std::string>& names) {
  return Matcher(flat, wires, dump).match(dump, names);
}

}  // namespace hw
