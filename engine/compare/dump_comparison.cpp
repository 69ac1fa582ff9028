#include "engine/compare/dump_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/compare/dump_hints.h"
#include "engine/core/codes.h"
#include "engine/core/same_bits.h"
#include "engine/evaluate/evaluation.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/graph/topological_sort.h"

namespace hw {
namespace {

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
  const double allowed = relative * largest + kAlike;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) {
      item.not_finite += std::isfinite(a[i]) ? 0 : 1;
      continue;
    }
    const double apart = std::abs(a[i] - b[i]) / allowed;
    const double error = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
    if (item.worst && error <= item.error) continue;
    item.error = error;
    item.worst = DumpElement{static_cast<int64_t>(i), b[i], a[i], allowed};
  }
  if (!item.is_compared())
    item.note = "NaN or Inf throughout on both sides: nothing finite was compared";
  else if (item.not_finite > 0)
    item.note = std::to_string(item.not_finite) + " of " + std::to_string(made.size()) +
                " elements are NaN or Inf on both sides";
}

void add_note(DumpItem& item, const std::string& note) {
  if (!note.empty()) item.note += (item.note.empty() ? "" : "; ") + note;
}

/// A hook that keeps a tensor, and not its values at that moment, has what an operator in place made of it later.
void note_same_tensors(DumpReport& report, const Dump& dump) {
  for (DumpItem& item : report.items) {
    if (!item.diverges) continue;
    const Tensor& tensor = dump.at(item.tensor);
    const auto same = std::ranges::find_if(report.items, [&](const DumpItem& other) {
      const Tensor& held = dump.at(other.tensor);
      return other.error <= 1 && other.is_compared() && held.dtype() == tensor.dtype() &&
             held.dims() == tensor.dims() && same_bits(held, tensor);
    });
    if (same != report.items.end())
      add_note(item, "the dump has the same numbers as \"" + same->tensor +
                         "\", which agrees: saved after an operator in place?");
  }
}

/// Something that agrees is made of what the wire has.
bool leads_to_agreement(const DumpReport& report, const Graph& graph, const SocketRef& socket) {
  std::set<std::string> agree, seen{socket.node};
  for (const DumpItem& item : report.items)
    if (item.error <= 1 && item.is_compared()) agree.insert(item.socket.node);
  std::vector<std::string> open{socket.node};
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    for (const Link& link : graph.links_from(id)) {
      if (agree.contains(link.to)) return true;
      if (seen.insert(link.to).second) open.push_back(link.to);
    }
  }
  return false;
}

/// A module may hand on several tensors, of which the dump has the first and the graph another: where what follows
/// agrees, other sizes are no divergence.
void set_other_outputs_aside(DumpReport& report, const Graph& graph, const Dump& dump) {
  std::set<std::string> aside;
  for (const DumpItem& item : report.items) {
    const Dims& dims = dump.at(item.tensor).dims();
    if (item.match != DumpMatch::name || dims == item.dims || !leads_to_agreement(report, graph, item.socket)) continue;
    report.unmatched.emplace(item.tensor, other_sizes(dims, item.socket.node, item.dims));
    aside.insert(item.tensor);
  }
  std::erase_if(report.items, [&](const DumpItem& item) { return aside.contains(item.tensor); });
}

/// Distinguishes what is off by itself from what is made of something that is off, with nothing between that agrees.
void judge(DumpReport& report, const Graph& graph) {
  std::set<std::string> all, off;
  std::multimap<std::string, size_t> items;
  for (const auto& [id, node] : graph.nodes()) all.insert(id);
  for (size_t i = 0; i < report.items.size(); ++i) items.emplace(report.items[i].socket.node, i);
  for (const std::string& id : topological_sort(graph, all)) {
    const auto& links = graph.links_into(id);
    const bool inherits = std::ranges::any_of(links, [&](const Link& l) { return off.contains(l.from); });
    const auto [first, end] = items.equal_range(id);
    bool is_off = first == end && inherits;
    for (auto i = first; i != end; ++i) {
      DumpItem& item = report.items[i->second];
      if (item.error <= 1) continue;
      is_off = true;
      (inherits ? item.inherited : item.diverges) = true;
      if (item.diverges && !report.first) report.first = i->second;
    }
    if (is_off) off.insert(id);
  }
}

/// Tensors of a dump and the wires that they belong to; Inputs have the sizes of theirs.
struct Matched {
  Graph graph;
  std::vector<DumpWire> wires;
  DumpMatches matches;
  GivenValues given;  // values of Inputs, in their dtypes
};

bool is_given(const Graph& graph, const SocketRef& socket) {
  return is_graph_input(graph, *graph.find(socket.node));
}

/// Error HW-S002: the tensor of an Input is not of the sizes that it declares, symbolic axes aside; those of nodes that
/// the sizes given do not fit.
Result<Matched> matched(const Graph& graph, const Dump& dump, const std::map<std::string, std::string>& names) {
  Matched made{graph, {}, {}, {}};
  Validator validator;
  validator.reset(made.graph);
  made.wires = dump_wires(made.graph, validator);
  HW_TRY(made.matches, match_dump(made.graph, made.wires, dump, names));
  GivenSizes sizes;
  for (const auto& [wire, of] : made.matches.found)
    if (const SocketRef& socket = made.wires[wire].socket; is_given(made.graph, socket))
      sizes[socket] = dump.at(of.first).dims();
  fit_inputs(made.graph, sizes);
  if (!(made.graph == graph)) {
    const std::vector<DumpWire> before = std::move(made.wires);
    validator.reset(made.graph);
    for (const DumpWire& wire : before)
      if (const Diagnostic* d = validator.blocking(made.graph, wire.socket.node))
        return Error{d->code, d->node, "with the sizes of the dump's inputs: " + d->reason,
                     "Save the dump at the sizes that the graph has."};
    made.wires = dump_wires(made.graph, validator);
    HW_TRY(made.matches, match_dump(made.graph, made.wires, dump, names));
  }
  for (const auto& [wire, of] : made.matches.found) {
    const auto& [socket, type] = made.wires[wire];
    if (!is_given(made.graph, socket)) continue;
    const Tensor& value = dump.at(of.first);
    if (value.dims() != type.shape.dims())
      return Error{codes::size_mismatch, of.first,
                   "the Input " + socket.node + " is " + to_string(type.shape) + ", this tensor of the dump " +
                       to_string(value.dims()) + ".",
                   has_channels_last(value.dims(), type.shape.dims())
                       ? "Its channels are the last axis: save it with the Input's axes, as by "
                         "numpy.moveaxis(x, -1, 1)."
                       : "Save the tensor with the Input's axes, of which only symbolic ones are free, or name another "
                         "tensor as it."};
    made.given[socket] = value.to(type.dtype);
  }
  return made;
}

}  // namespace

Result<DumpReport> compare_with_dump(const Graph& given_graph, Assets& assets, const std::shared_ptr<Device>& device,
                                     const Dump& dump, const DumpOptions& options) {
  HW_TRY(const Matched found, matched(given_graph, dump, options.names));
  const auto& [graph, wires, matches, given] = found;
  std::vector<SocketRef> wanted;
  for (const auto& [wire, of] : matches.found)
    if (const SocketRef& socket = wires[wire].socket;
        !is_given(graph, socket) && (wanted.empty() || !(wanted.back() == socket)))
      wanted.push_back(socket);
  if (wanted.empty())
    return Error{codes::file_syntax, options.where,
                 "no tensor of it is a wire that the graph computes: nothing was compared.",
                 "Name tensors as nodes are named (on the command line: --map TENSOR=NODE.SOCKET)."};
  HW_TRY(Evaluation evaluation,
         Evaluation::make(graph, wanted, assets, device,
                          {.given = given, .passes_off = every_pass(), .pinned = PinnedNodes::ignored}));
  HW_CHECK(evaluation.set_weights(options.weights.get(), 0, Lacking::refused));
  HW_CHECK(evaluation.run(options.cancel));

  DumpReport report;
  report.unmatched = matches.unmatched;
  for (const auto& [id, node] : graph.nodes())
    if (is_graph_input(graph, node) && evaluation.depends_on({id, "y"}) && !given.contains({id, "y"}))
      report.examples.push_back(id);
  size_t at = 0;  // of `wanted`
  for (const auto& [wire, of] : matches.found) {
    const SocketRef& socket = wires[wire].socket;
    if (is_given(graph, socket)) continue;
    if (!(socket == wanted[at])) ++at;
    DumpItem item;
    item.socket = socket;
    std::tie(item.tensor, item.match) = of;
    HW_TRY(const Tensor made, evaluation.read(at));
    const Tensor& other = dump.at(of.first);
    item.dims = made.dims();
    compare(item, made, other, options.relative);
    if (item.error > 1) add_note(item, hint_of(made, other, item.error, options.relative));
    if (made.dims() == other.dims() && made.size() <= options.keep_up_to) {
      item.made = made;
      item.wanted = other;
    }
    report.not_compared += item.is_compared() ? 0 : 1;
    report.items.push_back(std::move(item));
  }
  set_other_outputs_aside(report, graph, dump);
  judge(report, graph);
  note_same_tensors(report, dump);
  return report;
}

}  // namespace hw
