#include "engine/graph/fit_weights.h"

#include <cassert>

#include "engine/graph/check_weights.h"
#include "engine/graph/dtype_join.h"

namespace hw {
namespace {

std::string text(DType dtype) {
  return std::string(name(dtype));
}

}  // namespace

FittedWeights fit_weights(const Graph& graph, const Validator& validator, std::map<std::string, Tensor> weights) {
  FittedWeights fitted;
  struct Found {
    std::string node, weight;
    DType computed;
  };
  std::vector<std::pair<Found, DType>> clashes;  // the dtype that was loaded
  Edits adopt;                                   // the graph as the file would have it
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.weights().empty() || !node.tie.empty()) continue;
    const auto parameters = parameters_of(node, validator.input_types(graph, node));
    if (!parameters) continue;
    for (const auto& [weight, value] : *parameters) {
      const auto given = weights.find(id + "." + weight);
      if (given == weights.end()) continue;
      Tensor& tensor = given->second;
      const WeightFormat* format = weight_format(node, weight);
      const DType stored = format ? format->dtype : value.dtype;
      if (tensor.dims() != value.dims) {
        Diagnostic d;
        d.code = codes::weights_mismatch;
        d.node = id;
        d.socket = weight;
        d.reason = "the weights have " + text(tensor.dtype()) + " " + to_string(tensor.dims()) + ", the graph needs " +
                   text(stored) + " " + to_string(value.dims) + ".";
        d.expected = to_string(value.dims);
        d.got = to_string(tensor.dims());
        fitted.problems.push_back(std::move(d));
      } else if (tensor.dtype() == stored) {
        continue;
      } else if (!info(tensor.dtype()).is_float) {
        Diagnostic d;
        d.code = codes::weight_dtype;
        d.node = id;
        d.socket = weight;
        d.reason = "the weights have " + text(tensor.dtype()) + ", which is no float.";
        d.expected = text(stored);
        d.got = text(tensor.dtype());
        fitted.problems.push_back(std::move(d));
      } else if (format && format->convert) {
        fitted.notes.push_back(id + "." + weight + " converted on loading, " + text(tensor.dtype()) + " → " +
                               text(stored) + ": " + cast_effect(tensor.dtype(), stored) + ".");
        fitted.conversions[id + "." + weight] = stored;
      } else {
        clashes.push_back({{id, weight, value.dtype}, tensor.dtype()});
        adopt.push_back(SetWeight{id, weight, WeightFormat{tensor.dtype(), false, false}});
      }
    }
  }
  if (!clashes.empty()) {
    Graph adopted = graph;
    [[maybe_unused]] const auto applied = apply_edits(adopted, adopt);
    assert(applied && "only known weights in storable dtypes");
    for (const auto& [found, loaded] : clashes) {
      const Node& node = *adopted.find(found.node);
      const WeightDecl& decl = *Registry::instance().find(node.type)->decl.find_weight(found.weight);
      fitted.problems.push_back(
          weight_clash(adopted, {node, decl, found.weight, loaded, found.computed}, adopt, " is loaded as "));
    }
  }
  if (fitted.problems.empty()) {
    fitted.tensors = std::move(weights);
  } else {
    fitted.conversions.clear();
  }
  return fitted;
}

std::map<std::string, Tensor> converted(FittedWeights fitted) {
  for (const auto& [name, dtype] : fitted.conversions) {
    Tensor& tensor = fitted.tensors.at(name);
    tensor = tensor.to(dtype);
  }
  return std::move(fitted.tensors);
}

Error as_error(const std::vector<Diagnostic>& problems) {
  assert(!problems.empty());
  const Diagnostic& first = problems.front();
  Error error{first.code, first.node + "." + first.socket, first.reason, ""};
  if (problems.size() > 1) error.reason += " So it is with " + std::to_string(problems.size() - 1) + " more.";
  for (const Remedy& remedy : first.remedies) error.remedy += (error.remedy.empty() ? "" : "; ") + remedy.label;
  error.remedy = error.remedy.empty() ? "Load weights of this graph, undo the change of sizes, or train anew."
                                      : "Remedies: " + error.remedy + ".";
  return error;
}

}  // namespace hw
