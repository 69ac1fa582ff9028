#include "app/interop/onnx/symbolic_axes.h"

#include <algorithm>
#include <iterator>

#include "engine/graph/groups/group_interface.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/node/shapes.h"

namespace hw::interop {
namespace {

constexpr int64_t kFactors[] = {13, 3, 5, 7, 11, 17, 19};
constexpr double kMostElements = 0x1p28;  // of an Input

Params params_of(const Node& node) {
  return Params(Registry::instance().find(node.type)->decl, node.params);
}

}  // namespace

std::vector<std::string> symbolic_axes(const Graph& flat, const std::set<std::string>& nodes) {
  std::vector<std::string> names;
  for (const Node* node : sockets_of(flat)) {
    if (!nodes.contains(node->id) || !is_graph_input(flat, *node)) continue;
    const std::vector<std::string> has = shapes::axis_names(params_of(*node), "axes");
    for (const std::string& name : shapes::axis_names(params_of(*node), "symbolic"))
      if (std::ranges::count(has, name) && !std::ranges::count(names, name)) names.push_back(name);
  }
  return names;
}

std::vector<SymbolicSizes> resize_inputs(Graph& flat, const std::vector<std::string>& axes) {
  std::vector<std::string> inputs;
  for (const auto& [id, node] : flat.nodes())
    if (is_graph_input(flat, node)) inputs.push_back(id);
  const auto factor = [](size_t axis) { return kFactors[axis % std::size(kFactors)]; };
  // Multiples fit what halves and doubles sizes; small sizes fit into memory.
  const auto fits = [&](const std::string& id) {
    double elements = 1;
    for (const double size : params_of(*flat.find(id)).vector("shape")) elements *= size;
    for (size_t i = 0; i < axes.size(); ++i) elements *= static_cast<double>(factor(i));
    return elements <= kMostElements;
  };
  const bool multiples = std::ranges::all_of(inputs, fits);
  std::vector<SymbolicSizes> symbols;
  for (const std::string& id : inputs) {
    const Params params = params_of(*flat.find(id));
    const std::vector<std::string> names = shapes::axis_names(params, "axes"),
                                   symbolic = shapes::axis_names(params, "symbolic");
    std::vector<double> shape = params.vector("shape");
    for (size_t d = 0; d < std::min(names.size(), shape.size()); ++d) {
      const auto found = std::ranges::find(axes, names[d]);
      if (found == axes.end() || !std::ranges::count(symbolic, names[d])) continue;
      const auto here = static_cast<int64_t>(shape[d]);
      const int64_t k = factor(static_cast<size_t>(found - axes.begin()));
      const int64_t there = multiples || here == k ? here * k : k;
      symbols.push_back({names[d], here, there});
      shape[d] = static_cast<double>(there);
    }
    flat.node(id).params["shape"] = shape;
  }
  return symbols;
}

std::optional<WireType> open_type(const std::optional<WireType>& here, const std::optional<WireType>& there,
                                  const std::vector<SymbolicSizes>& symbols) {
  if (!here || !there || here->kind != there->kind || here->shape.rank() != there->shape.rank()) return std::nullopt;
  WireType type = *here;
  for (size_t d = 0; d < type.shape.rank(); ++d) {
    Axis& axis = type.shape[d];
    const int64_t other = there->shape[d].size;
    if (axis.size == other) continue;
    const auto is_same = [&](const SymbolicSizes& s) { return s.here == axis.size && s.there == other; };
    const auto found = std::ranges::find_if(symbols, is_same);
    axis.symbol = found == symbols.end() ? "" : found->symbol;
    axis.size = -1;
  }
  return type;
}

}  // namespace hw::interop
