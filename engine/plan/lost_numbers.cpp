#include "engine/plan/lost_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "engine/core/same_bits.h"
#include "engine/graph/check/lower_alone.h"
#include "engine/graph/check/validate.h"

namespace hw {
namespace {

constexpr size_t kMostReported = 3;  // numbers of one constant

std::string text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", number);
  return buffer;
}

/// Pairs of what a node's constants are and what they were asked for as.
std::vector<std::pair<Tensor, Tensor>> asked_for(const Node& node, const InputTypes& inputs) {
  const auto alone = lower_alone(node, inputs);
  if (!alone || alone->constants.empty()) return {};
  const auto wide = lower_alone_in_f64(node, inputs);
  if (!wide || wide->constants.size() != alone->constants.size()) return {};
  std::vector<std::pair<Tensor, Tensor>> pairs;
  for (size_t k = 0; k < alone->constants.size(); ++k) {
    const Tensor &stored = alone->constants[k].second, &asked = wide->constants[k].second;
    const bool rounds = info(stored.dtype()).is_float && asked.dtype() == DType::f64 && stored.dims() == asked.dims();
    if (rounds && same_bits(asked.to(stored.dtype()), stored)) pairs.emplace_back(stored, asked);
  }
  return pairs;
}

}  // namespace

std::map<ValueId, Tensor> exact_constants(const Graph& graph, const Program& program,
                                          const std::map<SocketRef, LowerArgs::Arg>& sockets) {
  std::map<ValueId, std::string> handed;  // constants that are outputs, by their node
  for (const auto& [socket, arg] : sockets)
    if (const Val* value = std::get_if<Val>(&arg); value && *value)
      if (program[value->id].storage == Storage::constant) handed.emplace(value->id, socket.node);
  std::map<std::string, std::set<ValueId>> by_node;
  for (const auto& [id, node] : handed) by_node[node].insert(id);
  for (const Instr& instr : program.instrs)
    for (const ValueId in : instr.in)
      if (program[in].storage == Storage::constant && !instr.backward && !handed.contains(in))
        by_node[program.nodes[instr.node]].insert(in);
  const std::map<ValueId, Tensor> stored(program.constants.begin(), program.constants.end());
  Validator validator;
  validator.reset(graph);
  std::map<ValueId, Tensor> exact;
  for (const auto& [id, constants] : by_node) {
    const Node* node = graph.find(id);
    if (!node || !Registry::instance().find(node->type)) continue;
    const auto pairs = asked_for(*node, validator.input_types(graph, *node));
    auto next = pairs.begin();  // both are in the order in which the node makes them
    for (const ValueId constant : constants) {
      const auto is_it = [&](const auto& pair) {
        return pair.first.dims() == stored.at(constant).dims() && same_bits(pair.first, stored.at(constant));
      };
      const auto found = std::find_if(next, pairs.end(), is_it);
      if (found == pairs.end()) continue;
      exact.emplace(constant, found->second);
      next = std::next(found);
    }
  }
  return exact;
}

std::string lost_number_text(double number, DType dtype) {
  if (!std::isfinite(number)) return "";
  const double there = Tensor::from_f64(dtype, {}, {{number}}).to_f64().front();
  const double unit = std::ldexp(1.0, -info(dtype).mantissa_bits);
  if (std::isfinite(there) && std::abs(there - number) <= unit * std::abs(number)) return "";
  return text(number) + " is " + text(there) + " in " + std::string(name(dtype));
}

LostNumbers::LostNumbers(const Program& program, const std::map<ValueId, Tensor>& exact) {
  std::map<ValueId, std::vector<std::string>> lost;
  for (const auto& [id, asked] : exact)
    for (const double number : asked.to_f64()) {
      std::vector<std::string>& texts = lost[id];
      if (texts.size() == kMostReported) break;
      const std::string said = lost_number_text(number, program[id].dtype);
      if (!said.empty() && std::ranges::find(texts, said) == texts.end()) texts.push_back(said);
    }
  for (const Instr& instr : program.instrs)
    for (const ValueId in : instr.in) {
      const auto found = lost.find(in);
      if (found == lost.end()) continue;
      std::vector<std::string>& texts = by_node_[program.nodes[instr.node]];
      for (const std::string& said : found->second)
        if (std::ranges::find(texts, said) == texts.end()) texts.push_back(said);
    }
}

std::vector<std::string> LostNumbers::of(const std::string& node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace hw
