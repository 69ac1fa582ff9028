#include "engine/graph/check_parts.h"

#include <algorithm>
#include <set>

#include "engine/core/codes.h"
#include "engine/graph/check_upstream.h"
#include "engine/graph/validate.h"

namespace hw {
namespace {

/// Whether the node reduces the axis N of its input, or all axes, to what is no sum.
bool takes_of_samples(const Validator& validator, const Graph& flat, const Node& node) {
  static constexpr std::string_view kTypes[] = {"reduce_max", "reduce_min", "reduce_prod", "log_sum_exp"};
  if (node.bypassed || std::ranges::find(kTypes, node.type) == std::end(kTypes)) return false;
  const InputTypes inputs = validator.input_types(flat, node);
  const auto x = inputs.find("x");
  if (x == inputs.end() || x->second.kind != Kind::tensor) return false;
  const std::vector<Axis>& shape = x->second.shape.axes();
  const auto samples = std::ranges::find(shape, "N", &Axis::name);
  if (samples == shape.end()) return false;
  const ParamValue value = param_value(node, "axes");
  const auto* axes = std::get_if<std::vector<double>>(&value);
  const auto at = static_cast<double>(samples - shape.begin()), rank = static_cast<double>(shape.size());
  return axes &&
         (axes->empty() || std::ranges::any_of(*axes, [&](double axis) { return axis == at || axis + rank == at; }));
}

}  // namespace

std::vector<Diagnostic> check_parts(const Graph& flat) {
  std::vector<Diagnostic> found;
  std::optional<Validator> validator;
  for (const auto& [id, node] : flat.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.role() != Role::train || node.bypassed) continue;
    const ParamValue accumulate = param_value(node, "accumulate");
    const auto* parts = std::get_if<int64_t>(&accumulate);
    if (!parts || *parts < 2) continue;
    if (!validator) validator.emplace().reset(flat);
    std::set<std::string> alone;
    for (const std::string& above : upstream_nodes(flat, id))
      if (const Node* n = flat.find(above); n && takes_of_samples(*validator, flat, *n)) alone.insert(above);
    for (const std::string& above : alone) {
      Diagnostic d;
      d.code = codes::bad_parameter;
      d.severity = Severity::warning;
      d.node = id;
      d.socket = "accumulate";
      d.reason = display_name(*flat.find(above)) + " (" + above + ") is over the samples of each of the " +
                 std::to_string(*parts) + " micro-batches alone: the loss is not that of their one batch.";
      d.remedies.push_back({"Set accumulate to 1", {SetParam{id, "accumulate", int64_t{1}}}});
      found.push_back(std::move(d));
    }
  }
  return found;
}

}  // namespace hw
