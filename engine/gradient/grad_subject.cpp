#include "engine/gradient/grad_subject.h"

#include <algorithm>

#include "engine/node/lower_example.h"
#include "engine/plan/training_plan.h"
#include "engine/program/ends_gradient.h"

namespace hw {
namespace {

/// Values of the forward pass that depend on a trainable parameter, through ops that hand gradients back.
std::set<ValueId> trained_values(const Program& program) {
  std::set<ValueId> found;
  for (const Param& param : program.params)
    if (param.trainable) found.insert(param.view);
  for (const Instr& instr : program.instrs)
    if (!instr.backward && !ends_gradient(program, instr) && any_in(instr.in, found))
      found.insert(instr.out.begin(), instr.out.end());
  return found;
}

/// loss = Σ float outputs · fixed random weights.
Val loss_of(LoweredExample& lowered) {
  OpBuilder& b = *lowered.builder;
  Val loss;
  for (const Val output : lowered.tensor_outputs()) {
    const std::string seed = "weights of output " + std::to_string(output.id);
    const Val weights = b.constant(random_tensor(seed, DType::f64, b[output].dims, -1, 1));
    const Val sum = b.sum_to(b.mul(b.cast(output, DType::f64), weights), {}, DType::f64);
    loss = loss ? b.add(loss, sum) : sum;
  }
  return loss;
}

}  // namespace

Result<GradSubject> grad_subject(const Graph& graph, Assets& assets) {
  HW_TRY(const TrainingPlan plan, plan_training(without_pins(graph), assets, false, false));
  if (!learns(plan)) return learns_nothing(plan.trainer, plan.unreached);
  const Program& program = *plan.program;
  GradSubject subject{plan.program, plan.loss, {}, plan.settings.seed, {}, {}};
  std::map<ValueId, uint32_t> maker;
  for (const Instr& instr : program.instrs)
    for (ValueId out : instr.out) maker[out] = instr.node;
  const auto block = [&](bool is_parameter, std::string node, ValueId value) {
    GradBlock b{is_parameter, std::move(node), program[value].name, value};
    if (const auto found = plan.gradients.find(value); found != plan.gradients.end()) {
      b.gradient = found->second;
      b.unscale = plan.unscale.at(value);
    }
    return b;
  };
  for (const Param& param : program.params)
    if (param.trainable) subject.blocks.push_back(block(true, param.name.substr(0, param.name.find('.')), param.view));
  const std::set<ValueId> trained = trained_values(program);
  std::set<ValueId> wires;
  for (const auto& [socket, arg] : plan.sockets)
    if (const Val* value = std::get_if<Val>(&arg); value && *value) wires.insert(value->id);
  for (ValueId value : wires) {
    const bool is_made = maker.contains(value) && info(program[value].dtype).is_float;
    if (is_made && trained.contains(value) && value != plan.loss)
      subject.blocks.push_back(block(false, program.nodes[maker.at(value)], value));
  }
  std::stable_sort(subject.blocks.begin(), subject.blocks.end(),
                   [](const GradBlock& a, const GradBlock& b) { return a.value < b.value; });
  return subject;
}

void select_nodes(GradSubject& subject, const std::set<std::string>& nodes) {
  std::set<ValueId> read;
  for (const Instr& instr : subject.program->instrs)
    if (!instr.backward && nodes.contains(subject.program->nodes[instr.node]))
      read.insert(instr.in.begin(), instr.in.end());
  std::erase_if(subject.blocks, [&](const GradBlock& b) { return !nodes.contains(b.node) && !read.contains(b.value); });
}

Result<GradSubject> example_subject(const NodeType& type, const Example& example) {
  LoweredExample lowered = lower_example(type, example_in_dtype(type, example, DType::f64, true));
  HW_CHECK(lowered.shapes);
  const Val loss = loss_of(lowered);
  HW_CHECK(lowered.builder->status());
  HW_TRY(const Gradients gradients, build_adjoint(*lowered.builder, loss, lowered.input_values));
  HW_CHECK(lowered.builder->status());
  const Program& program = *lowered.program;
  GradSubject subject{lowered.program, loss.id, {}, 7, {}, example_states(program)};
  const auto add = [&](bool is_parameter, const std::string& name, ValueId value) {
    GradBlock block{is_parameter, "node", name, value};
    if (const auto found = gradients.of.find(value); found != gradients.of.end()) block.gradient = found->second.id;
    subject.blocks.push_back(std::move(block));
  };
  for (size_t i = 0; i < lowered.inputs.size(); ++i) {
    const auto& [name, tensor] = lowered.inputs[i];
    subject.inputs[name] = tensor;
    if (info(tensor.dtype()).is_float) add(false, name, lowered.input_values[i].id);
  }
  for (const Param& param : program.params)
    if (param.trainable) add(true, param.name, param.view);
  return subject;
}

}  // namespace hw
