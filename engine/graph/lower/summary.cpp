#include "engine/graph/lower/summary.h"

#include "engine/graph/topological_sort.h"
#include "engine/program/work.h"

namespace hw {
namespace {

NodeSummary row_of(const Graph& flat, const Node& node, const Validator& validator) {
  const NodeType* type = Registry::instance().find(node.type);
  NodeSummary row{node.id, node.type, {}, {}, 0};
  if (!type) return row;
  const Declaration declared = type->declared(node.params);
  for (const SocketDecl& output : declared->outputs()) {
    if (auto wire = validator.output_type(node.id, output.id)) row.outputs.emplace_back(output.id, std::move(*wire));
  }
  row.parameters = count_parameters(flat, node, validator);
  return row;
}

std::vector<SocketRef> tensors_of(const std::map<std::string, NodeSummary>& rows) {
  std::vector<SocketRef> tensors;
  for (const auto& [id, row] : rows)
    for (const auto& [socket, wire] : row.outputs)
      if (wire.kind == Kind::tensor) tensors.push_back({id, socket});
  return tensors;
}

}  // namespace

Result<NetworkSummary> summarise(const Graph& flat, const Validator& validator, Assets& assets) {
  std::map<std::string, NodeSummary> rows;
  for (const auto& [id, node] : flat.nodes()) rows.emplace(id, row_of(flat, node, validator));
  HW_TRY(const LoweredGraph lowered, lower(flat, tensors_of(rows), {}, assets));
  const Program& program = *lowered.program;
  for (const Instr& instr : program.instrs) {
    const auto row = rows.find(program.nodes[instr.node]);
    if (row != rows.end()) row->second.multiply_adds += work_of(program, instr).products / 2;
  }
  NetworkSummary summary{{}, {{"", 0}}, count_parameters(flat, validator)};
  for (const auto& [id, row] : rows) {
    summary.multiply_adds[""] += row.multiply_adds;
    for (size_t slash = id.find('/'); slash != id.npos; slash = id.find('/', slash + 1))
      summary.multiply_adds[id.substr(0, slash)] += row.multiply_adds;
  }
  std::set<std::string> ids;
  for (const auto& [id, row] : rows) ids.insert(id);
  for (const std::string& id : topological_sort(flat, ids)) summary.nodes.push_back(std::move(rows.at(id)));
  return summary;
}

}  // namespace hw
