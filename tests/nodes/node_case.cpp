#include "tests/nodes/node_case.h"

#include <algorithm>
#include <set>

#include "engine/devices/devices.h"
#include "engine/program/adjoint.h"

namespace hw::test {
namespace {

// What distinguishes two variants of an example.
std::string key(const Example& example) {
  std::string text;
  for (const ExampleInput& input : example.inputs) text += std::string(name(input.dtype)) + " ";
  for (const auto& [id, value] : example.params) text += id + "=" + to_string(value) + " ";
  return text;
}

}  // namespace

void PrintTo(const NodeCase& c, std::ostream* out) {
  *out << c.name;
}

std::string case_name(const NodeCase& c) {
  return c.name;
}

LoweredCase lower_case(const NodeCase& c, bool training) {
  return lower_example(*c.type, c.example, training);
}

std::vector<NodeCase> all_cases() {
  std::vector<NodeCase> cases;
  for (const auto& [id, type] : Registry::instance().all()) {
    for (const Example& example : type.examples()) {
      std::set<std::string> seen;
      for (const DType dtype : running_floats()) {
        Example variant = example_in_dtype(type, example, dtype, false);
        if (seen.insert(key(variant)).second)
          cases.push_back({id + "_" + example.name + "_" + std::string(name(dtype)), &type, std::move(variant)});
      }
    }
  }
  return cases;
}

std::vector<NodeCase> gradient_cases() {
  std::vector<NodeCase> cases;
  for (const auto& [id, type] : Registry::instance().all()) {
    for (const Example& example : type.examples())
      if (example.no_gradient_because.empty())
        cases.push_back({id + "_" + example.name, &type, example_in_dtype(type, example, DType::f64, true)});
  }
  return cases;
}

bool passes_gradient(const NodeCase& c) {
  LoweredCase lowered = lower_case(c);
  OpBuilder& b = *lowered.builder;
  bool passes = false;
  for (const Val output : lowered.tensor_outputs()) {
    const Val loss = b.sum_to(b.cast(output, DType::f64), {}, DType::f64);
    const auto gradients = build_adjoint(b, loss, lowered.input_values);
    for (const Val input : lowered.input_values) passes = passes || (gradients && gradients->of.contains(input.id));
  }
  return passes;
}

Result<RunningCase> start(LoweredCase& lowered, const std::string& device, std::span<const Val> keep) {
  HW_TRY(std::shared_ptr<Device> made, make_device(device));
  return start(lowered, std::move(made), keep);
}

Result<RunningCase> start(LoweredCase& lowered, std::shared_ptr<Device> device, std::span<const Val> keep) {
  Program& program = *lowered.program;
  for (const Val v : keep) program.outputs.push_back({"kept." + std::to_string(program.outputs.size()), v.id});
  RunningCase running;
  running.device = std::move(device);
  HW_TRY(running.states, running.device->prepare_states(program, nullptr, 7, nullptr));
  for (const auto& [name, tensor] : example_states(program)) HW_CHECK(running.states->write(name, tensor));
  HW_TRY(running.executable, running.device->compile(lowered.program, running.states));
  for (const auto& [port, tensor] : lowered.inputs) HW_CHECK(running.executable->write_input(port, tensor));
  return running;
}

}  // namespace hw::test
