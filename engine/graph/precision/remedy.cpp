#include "engine/graph/precision/remedy.h"

#include "engine/graph/insert_cast.h"
#include "engine/graph/precision/negotiate.h"

namespace hw {
namespace {

/// The edits of insert_cast() that begin at `at`: the wire, and the Cast's dtype.
std::optional<std::pair<Link, DType>> cast_at(const Edits& edits, size_t at) {
  const auto* wire = std::get_if<RemoveLink>(&edits[at]);
  const auto* added = at + 3 < edits.size() ? std::get_if<AddNode>(&edits[at + 1]) : nullptr;
  if (!wire || !added || added->node->type != "cast") return std::nullopt;
  const auto to = added->node->params.find("to");
  const auto* text = to == added->node->params.end() ? nullptr : std::get_if<std::string>(&to->second);
  const auto dtype = text ? dtype_from_name(*text) : std::nullopt;
  return dtype ? std::optional(std::pair(wire->link, *dtype)) : std::nullopt;
}

}  // namespace

PrecisionPlan remedy_plan(const Graph& graph, const Remedy& remedy) {
  Graph before = graph;
  PrecisionPlan plan;
  // The graph may have changed since: Casts are called and placed anew.
  for (size_t i = 0; i < remedy.edits.size();) {
    const auto cast = cast_at(remedy.edits, i);
    Edits next = cast ? insert_cast(before, cast->first, cast->second) : Edits{remedy.edits[i]};
    if (cast) std::get<AddNode>(next[1]).node.change([&](Node& node) { Room(before).take(node); });
    i += cast ? next.size() : 1;
    plan.edits.insert(plan.edits.end(), next.begin(), next.end());
    if (!apply_edits(before, next)) return {remedy.edits, {}};  // whoever applies them says why
  }
  if (remedy.kind != Remedy::Kind::unify && remedy.kind != Remedy::Kind::negotiate) return plan;
  PrecisionPlan whole = remedy.kind == Remedy::Kind::unify ? unify(before, remedy.dtype) : negotiate(before);
  plan.edits.insert(plan.edits.end(), whole.edits.begin(), whole.edits.end());
  plan.notes = std::move(whole.notes);
  plan.numbers = std::move(whole.numbers);
  return plan;
}

Edits remedy_edits(const Graph& graph, const Remedy& remedy) {
  return remedy_plan(graph, remedy).edits;
}

}  // namespace hw
