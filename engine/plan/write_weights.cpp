#include "engine/plan/write_weights.h"

#include "engine/core/codes.h"
#include "engine/plan/missing_parameters.h"

namespace hw {

Error missing_parameter(const std::string& name) {
  return {codes::weights_mismatch, name, "the weights have no such parameter.",
          "Use the weights of this graph, or train again."};
}

Result<std::vector<std::string>> write_weights(const Program& program, States& states, const Weights& weights) {
  HW_TRY(std::vector<std::string> missing, missing_parameters(program, weights));
  for (const Param& param : program.params) {
    const auto given = weights.find(param.name);
    if (given == weights.end()) continue;
    const Tensor& tensor = given->second;
    HW_CHECK(states.write(program[param.view].name, tensor));
    if (param.master == param.view) continue;
    const Value& master = program[param.master];
    HW_CHECK(states.write(master.name, tensor.to(master.dtype)));
  }
  return missing;
}

Status give_weights(const Program& program, States& states, const Weights& weights, Lacking lacking) {
  HW_TRY(const std::vector<std::string> missing, write_weights(program, states, weights));
  if (!missing.empty() && lacking == Lacking::refused) return missing_parameter(missing.front());
  return ok();
}

}  // namespace hw
