#include "engine/instrument/node_facts.h"

#include <set>

#include "engine/plan/memory_estimate.h"

namespace hw {

std::map<std::string, NodeMemory> node_memory_of(const Program& p) {
  constexpr uint32_t kNobody = ~0u;
  std::vector<uint32_t> maker(p.values.size(), kNobody);
  for (const Instr& i : p.instrs) {
    if (i.backward) continue;
    for (const ValueId v : i.out) maker[v] = i.node;
  }
  std::set<ValueId> handed_on;
  for (const auto& output : p.outputs) handed_on.insert(output.value);
  for (const Instr& i : p.instrs) {
    if (i.backward) continue;
    for (const ValueId v : i.in)
      if (maker[v] != kNobody && maker[v] != i.node) handed_on.insert(v);
  }
  std::map<std::string, NodeMemory> all;
  for (const ValueId v : handed_on)
    if (maker[v] != kNobody) all[p.nodes[maker[v]]].outputs += bytes_of(p[v]);
  for (const Param& param : p.params)
    all[param.name.substr(0, param.name.find('.'))].parameters += bytes_of(p[param.view]);
  all.erase("");
  return all;
}

std::map<std::string, NodeFacts> node_facts_of(const Program& p, const Executable& executable) {
  std::map<std::string, NodeFacts> all;
  for (auto& [node, kernels] : node_kernels_of(p, executable, {})) all[node].kernels = kernels;
  const std::vector<double>& seconds = executable.timings();
  for (size_t i = 0; i < p.instrs.size() && i < seconds.size(); ++i)
    if (const auto of = all.find(p.nodes[p.instrs[i].node]); of != all.end()) of->second.ms += seconds[i] * 1e3;
  for (const auto& [node, memory] : node_memory_of(p))
    if (const auto of = all.find(node); of != all.end()) of->second.memory = memory;
  return all;
}

}  // namespace hw
