#include "engine/graph/lower/fit_inputs.h"

#include <algorithm>
#include <sstream>

#include "engine/graph/check/validate.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

bool names_axis(const std::string& list, const std::string& axis) {
  std::istringstream words(list);
  for (std::string word; words >> word;)
    if (word == axis) return true;
  return false;
}

}  // namespace

bool is_graph_input(const Graph& flat, const Node& node) {
  return node.type == kInputType && flat.links_into(node.id).empty();
}

void fit_inputs(Graph& flat, const GivenSizes& given) {
  std::vector<std::pair<const SocketRef*, const Dims*>> inputs;
  for (const auto& [socket, dims] : given) {
    const Node* node = flat.find(socket.node);
    if (!node || !is_graph_input(flat, *node)) continue;
    inputs.emplace_back(&socket, &dims);
    if (param_value(*node, "example") == ParamValue(std::string("none")))
      flat.node(node->id).params["example"] = std::string("zeros");
  }
  Validator validator;
  validator.reset(flat);
  for (const auto& [socket, dims] : inputs) {
    const auto type = validator.output_type(socket->node, socket->socket);
    if (!type || type->kind != Kind::tensor || type->shape.rank() != dims->size()) continue;
    Node& node = flat.node(socket->node);
    const ParamValue symbolic = param_value(node, "symbolic");
    std::vector<double> sizes;
    for (size_t i = 0; i < dims->size(); ++i) {
      const bool is_free = names_axis(std::get<std::string>(symbolic), type->shape[i].name);
      sizes.push_back(static_cast<double>(is_free ? (*dims)[i] : type->shape[i].size));
    }
    node.params["shape"] = sizes;
  }
}

GivenValues in_wire_dtypes(const Graph& flat, const GivenValues& given) {
  if (given.empty()) return {};
  Validator validator;
  validator.reset(flat);
  GivenValues values;
  for (const auto& [socket, value] : given) {
    const auto type = validator.output_type(socket.node, socket.socket);
    values[socket] = type && type->kind == Kind::tensor ? value.to(type->dtype) : value;
  }
  return values;
}

}  // namespace hw
