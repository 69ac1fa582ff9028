#include "app/interop/onnx/rules.h"

#include <algorithm>
#include <map>

#include "engine/node/many_inputs.h"

namespace hw::interop {
namespace {

constexpr size_t kMostJoined = 256;  // inputs of one node

}  // namespace

Tensor integers_of(const std::vector<int64_t>& values) {
  Tensor made(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), made.as<int64_t>());
  return made;
}

std::vector<double> numbers(const std::vector<int64_t>& whole) {
  return {whole.begin(), whole.end()};
}

Result<SizedDims> sizes_in(Importer& im, const OnnxNode& n, const std::string& name, size_t i) {
  if (n.has(name)) return SizedDims{n.integers(name), n.integers(name)};
  const auto value = im.sized(n, i);
  if (!value && im.has(n, i) && im.formulas(n.inputs[i]))
    return unsupported("\"" + name + "\" follows from a symbolic size, and not by sums and multiples alone.");
  if (!value) return unsupported("\"" + name + "\" is computed of what the graph is given.");
  const Tensor here = value->here.to(DType::i64), other = value->other.to(DType::i64);
  if (here.size() != other.size()) return unsupported("its number of axes is symbolic.");
  return SizedDims{{here.as<int64_t>(), here.as<int64_t>() + here.size()},
                   {other.as<int64_t>(), other.as<int64_t>() + other.size()}};
}

Result<Wire> joined(Importer& im, const std::vector<Wire>& parts, int64_t axis, const std::string& type) {
  if (parts.empty()) return unsupported("an empty tensor is not supported.");
  if (parts.size() == 1 && type == "concat") return parts.front();
  if (parts.size() == 1)
    return im.add("unsqueeze", {{"x", parts.front()}}, {{"axes", std::vector<double>{static_cast<double>(axis)}}});
  if (parts.size() > kMostJoined) {
    std::vector<Wire> groups;
    for (size_t begin = 0; begin < parts.size(); begin += kMostJoined) {
      const size_t end = std::min(parts.size(), begin + kMostJoined);
      const auto from = parts.begin() + static_cast<std::ptrdiff_t>(begin);
      HW_TRY(const Wire group, joined(im, {from, parts.begin() + static_cast<std::ptrdiff_t>(end)}, axis, type));
      groups.push_back(group);
    }
    return joined(im, groups, axis, "concat");
  }
  Wires inputs;
  const std::vector<std::string> sockets = shapes::input_ids_up_to(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) inputs.emplace_back(sockets[i], parts[i]);
  return im.add(type, inputs, {{"axis", axis}, {"inputs", static_cast<int64_t>(parts.size())}});
}

std::string dtype_name(const Tensor& t) {
  return std::string(name(t.dtype()));
}

Rule find_rule(const std::string& op) {
  static const std::map<std::string, Rule> all = [] {
    std::map<std::string, Rule> rules;
    for (const auto table :
         {unary_rules(), binary_rules(), reduce_rules(), constant_rules(), shape_rules(), reshape_rules(), pad_rules(),
          part_rules(), index_rules(), conv_rules(), norm_rules(), quantize_rules(), recurrent_rules(), pool_rules(),
          loss_rules(), attention_rules(), bit_rules(), sequence_rules(), selection_rules()})
      for (const RuleRow& row : table) rules.emplace(row.op, row.rule);
    return rules;
  }();
  const auto found = all.find(op);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace hw::interop
