#include "engine/gradient/stopped_gradients.h"

#include <algorithm>
#include <set>

#include "engine/program/ends_gradient.h"

namespace hw {

std::vector<std::string> stopping_nodes(const Program& p, ValueId target, ValueId value) {
  std::set<ValueId> follows{value}, leads{target};
  std::vector<const Instr*> stops;
  const auto hands_numbers_on = [&](const Instr& i) {
    return std::ranges::any_of(i.out, [&](ValueId v) { return p[v].dtype != DType::boolean; });
  };
  for (const Instr& i : p.instrs) {
    if (i.backward || i.update || !any_in(i.in, follows)) continue;
    follows.insert(i.out.begin(), i.out.end());
    if (ends_gradient(p, i) && hands_numbers_on(i)) stops.push_back(&i);
  }
  for (auto i = p.instrs.rbegin(); i != p.instrs.rend() && !stops.empty(); ++i)
    if (!i->backward && !i->update && any_in(i->out, leads)) leads.insert(i->in.begin(), i->in.end());
  std::vector<std::string> nodes;
  for (const Instr* stop : stops) {
    const std::string& node = p.nodes[stop->node];
    if (any_in(stop->out, leads) && std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace hw
