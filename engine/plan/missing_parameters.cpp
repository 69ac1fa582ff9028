#include "engine/plan/missing_parameters.h"

#include "engine/core/codes.h"

namespace hw {

Result<std::vector<std::string>> missing_parameters(const Program& program, const Weights& weights) {
  std::vector<std::string> missing;
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
  }
  return missing;
}

}  // namespace hw
