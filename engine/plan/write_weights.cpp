#include "engine/plan/write_weights.h"

#include "engine/core/codes.h"

namespace hw {

Error missing_parameter(const std::string& name) {
  return {codes::weights_mismatch, name, "the weights have no such parameter.",
          "Use the weights of this graph, or train again."};
}

Result<std::vector<std::string>> write_weights(const Program& program, States& states, const Weights& weights) {
  std::vector<std::string> missing;
  std::vector<std::pair<const Param*, const Tensor*>> found;
  for (const Param& param : program.params) {
    const auto given = weights.find(param.name);
    if (given == weights.end()) {
      missing.push_back(param.name);
      continue;
    }
    const Tensor& tensor = given->second;
    const Value& view = program[param.view];
    if (tensor.dims() != view.dims || tensor.dtype() != view.dtype) {
      return Error{codes::weights_mismatch, param.name,
                   "the weights have " + std::string(name(tensor.dtype())) + " " + to_string(tensor.dims()) +
                       ", the graph needs " + std::string(name(view.dtype)) + " " + to_string(view.dims) + ".",
                   "Load weights of this graph, undo the change of sizes or dtype, or train anew."};
    }
    found.emplace_back(&param, &tensor);
  }
  for (const auto& [param, tensor] : found) {
    HW_CHECK(states.write(program[param->view].name, *tensor));
    if (param->master == param->view) continue;
    const Value& master = program[param->master];
    HW_CHECK(states.write(master.name, tensor->to(master.dtype)));
  }
  return missing;
}

}  // namespace hw
