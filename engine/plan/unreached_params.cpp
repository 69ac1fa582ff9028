#include "engine/plan/unreached_params.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/core/nearest_names.h"
#include "engine/program/ends_gradient.h"

namespace hw {
namespace {

bool is_forward(const Instr& i) {
  return !i.backward && !i.update;
}

/// What `target` follows from.
std::set<ValueId> cone_of(const Program& p, ValueId target) {
  std::set<ValueId> cone{target};
  for (auto i = p.instrs.rbegin(); i != p.instrs.rend(); ++i)
    if (is_forward(*i) && any_in(i->out, cone)) cone.insert(i->in.begin(), i->in.end());
  return cone;
}

/// The node behind `value`, on the way to what is in `cone`, that hands no gradient back; "": there is no way.
std::string ending_node(const Program& p, ValueId value, const std::set<ValueId>& cone) {
  std::set<ValueId> follows{value};
  std::string last;
  for (const Instr& i : p.instrs) {
    if (!is_forward(i) || !any_in(i.in, follows) || !any_in(i.out, cone)) continue;
    follows.insert(i.out.begin(), i.out.end());
    last = p.nodes[i.node];
    if (ends_gradient(p, i)) break;
  }
  return last;
}

}  // namespace

std::vector<std::string> unreached_params(const Program& program, ValueId loss,
                                          const std::unordered_map<ValueId, ValueId>& gradients) {
  const auto is_unreached = [&](const Param& param) { return param.trainable && !gradients.contains(param.view); };
  if (std::ranges::none_of(program.params, is_unreached)) return {};
  const std::set<ValueId> cone = cone_of(program, loss);
  std::map<std::string, std::vector<std::string>> by_node;
  for (const Param& param : program.params) {
    if (!is_unreached(param) || !cone.contains(param.view)) continue;
    if (const std::string node = ending_node(program, param.view, cone); !node.empty())
      by_node[node].push_back(param.name);
  }
  std::vector<std::string> sentences;
  for (const auto& [node, params] : by_node)
    sentences.push_back(listed(params, 3) + (params.size() == 1 ? " does" : " do") + " not train: " + node +
                        " hands no gradient back.");
  return sentences;
}

}  // namespace hw
