#include "engine/graph/precision/keep_numbers.h"

#include <algorithm>
#include <set>

#include "engine/graph/check/check_numbers.h"

namespace hw {
namespace {

auto is_known_as(const UnheldNumber& number) {
  return [&number](const UnheldNumber& other) { return other.value == number.value && other.dtype == number.dtype; };
}

/// In every parameter that says it: which of two is stored in the node's dtype is the node's affair.
void replace_number(Node& node, double value, double other) {
  for (const ParamDecl& param : Registry::instance().find(node.type)->decl.params()) {
    ParamValue now = param_value(node, param.id);
    auto* numbers = std::get_if<std::vector<double>>(&now);
    auto* real = std::get_if<double>(&now);
    if (real && *real == value)
      *real = other;
    else if (numbers && std::ranges::find(*numbers, value) != numbers->end())
      std::ranges::replace(*numbers, value, other);
    else
      continue;
    node.params[param.id] = std::move(now);
  }
}

}  // namespace

void keep_numbers(const Graph& graph, PrecisionPlan& plan) {
  Graph after = graph;
  if (plan.edits.empty() || !apply_edits(after, plan.edits)) return;
  Validator now;
  std::optional<Validator> before;
  now.reset(after);
  for (const auto& [id, node] : after.nodes()) {
    auto lost = unheld_numbers(after, now, node);
    if (lost.empty()) continue;
    if (!before) before.emplace().reset(graph);
    const Node* old = graph.find(id);
    const auto known = old ? unheld_numbers(graph, *before, *old) : std::vector<UnheldNumber>();
    Node set = node;  // where several numbers are lost, each is set in what those before it have left
    std::set<double> seen;
    for (auto found = lost.begin(); found != lost.end();) {
      const UnheldNumber number = *found;
      if (seen.insert(number.value).second && std::ranges::none_of(known, is_known_as(number))) {
        std::string note = display_name(node) + " (" + id + "): " + to_string(number.lost, number.dtype);
        const bool beyond = number.lost.loss == Unheld::Loss::beyond && number.place.with;
        if (beyond) replace_number(set, number.value, number.lost.nearest);
        if (beyond && std::ranges::none_of(unheld_numbers(after, now, set), is_known_as(number)))
          note += ", which it is set to";
        plan.numbers.push_back(note + ".");
        plan.notes.push_back(plan.numbers.back());
      }
      if (++found != lost.end()) continue;
      lost = unheld_numbers(after, now, set);  // at most kMostReported are reported at a time
      found = std::ranges::find_if(lost, [&](const UnheldNumber& f) { return !seen.contains(f.value); });
    }
    for (const auto& [param, value] : set.params)
      if (param_value(node, param) != value) plan.edits.push_back(SetParam{id, param, value});
  }
}

}  // namespace hw
