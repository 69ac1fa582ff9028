#include "app/workspace/evaluate.h"

#include <algorithm>

#include "app/workspace/device_choice.h"
#include "app/workspace/inputs.h"
#include "engine/core/magnitudes.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/edit.h"
#include "engine/train/find_bad_value.h"

namespace hw::workspace {

Result<SocketRef> find_computable(const Graph& graph, const Graph& document, const std::string& name,
                                  const OptionNames& names, Notes& notes) {
  HW_TRY(SocketRef wire, find_output(graph, name, names.output));
  HW_CHECK(check_values(graph, wire.node, names.input));
  HW_CHECK(check_blocking(graph, document, wire.node, Pins::count, notes));
  return wire;
}

Result<Evaluation> prepare_evaluation(const EvaluationRequest& r, Notes& notes) {
  HW_TRY(std::shared_ptr<Device> device, choose_device(r.device, r.option_names));
  HW_TRY(Evaluation made,
         Evaluation::make(r.graph, r.wires, *r.assets, std::move(device),
                          {.given = r.given, .passes_off = r.passes_off, .pinned = PinnedNodes::required}));
  for (const PassNote& note : made.notes())
    add_note(notes, note.node + " is computed in " + note.into + " (" + std::string(note.pass) + ")");
  HW_CHECK(made.set_weights(r.weights.get(), r.seed, r.partial_weights ? Lacking::initial : Lacking::refused));
  return made;
}

Result<std::vector<Tensor>> evaluate(const EvaluationRequest& request, Notes& notes) {
  HW_TRY(Evaluation evaluation, prepare_evaluation(request, notes));
  HW_CHECK(evaluation.run(request.cancel));
  return evaluation.read_all();
}

std::optional<BadValue> find_first_nan(const EvaluationRequest& r, const std::vector<Tensor>& values) {
  const auto has_nan = [](const Tensor& tensor) { return magnitudes_of(tensor).nans > 0; };
  const bool given = std::ranges::any_of(r.given, [&](const auto& entry) { return has_nan(entry.second); });
  if (given || std::ranges::none_of(values, has_nan)) return {};
  std::unordered_set<std::string> needed;
  for (const SocketRef& wire : r.wires) needed.merge(upstream_nodes(r.graph, wire.node));
  for (const auto& [id, node] : r.graph.nodes())
    if (!node.tie.empty() && needed.contains(id)) needed.insert(node.tie);
  Edits others;
  for (const auto& [id, node] : r.graph.nodes())
    if (!needed.contains(id)) others.push_back(RemoveNode{id});
  Graph cone = r.graph;
  if (!apply_edits(cone, others)) return {};
  BadValueSearch search;
  search.device = r.device;
  search.seed = r.seed;
  search.weights = r.weights;
  search.given = r.given;
  const auto found = find_bad_value(cone, *r.assets, search);
  return found ? found->bad : std::nullopt;
}

}  // namespace hw::workspace
