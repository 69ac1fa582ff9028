#include "tests/nodes/node_case.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/philox.h"
#include "engine/program/adjoint.h"
#include "tests/nodes/test_mesh.h"

namespace hw::test {
namespace {

bool admits(const DTypeRule& rule, DType dtype) {
  const bool follows = rule.kind == DTypeRule::Kind::group || rule.kind == DTypeRule::Kind::parameter;
  return follows && (rule.dtypes.empty() || std::ranges::find(rule.dtypes, dtype) != rule.dtypes.end());
}

// The example with everything that may vary set to `dtype`; `all`: every float input, whatever its socket says.
Example in_dtype(const NodeDecl& decl, Example example, DType dtype, bool all) {
  const std::string text(name(dtype));
  for (const ParamDecl& param : decl.params()) {
    const bool allowed = std::ranges::find(param.choices, text) != param.choices.end();
    if (param.type == ParamDecl::Type::dtype && allowed) example.params[param.id] = text;
  }
  for (ExampleInput& input : example.inputs) {
    if (!info(input.dtype).is_float) continue;  // labels, conditions
    const SocketDecl* socket = decl.find_input(input.socket);
    if (socket && socket->kind == Kind::tensor && (all || admits(socket->dtype, dtype))) input.dtype = dtype;
  }
  return example;
}

// What tells two variants of an example apart.
std::string key(const Example& example) {
  std::string text;
  for (const ExampleInput& input : example.inputs) text += std::string(name(input.dtype)) + " ";
  for (const auto& [id, value] : example.params) text += id + "=" + to_string(value) + " ";
  return text;
}

double bound_of(const Init& init) {
  return init.kind == Init::Kind::uniform && init.a >= 0.01 ? init.a : 1;
}

}  // namespace

void PrintTo(const NodeCase& c, std::ostream* out) {
  *out << c.name;
}

std::string case_name(const NodeCase& c) {
  return c.name;
}

std::vector<NodeCase> all_cases() {
  std::vector<NodeCase> cases;
  for (const auto& [id, type] : Registry::instance().all()) {
    for (const Example& example : type.examples()) {
      std::set<std::string> seen;
      for (const DType dtype : running_floats()) {
        Example variant = in_dtype(type.decl, example, dtype, false);
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
        cases.push_back({id + "_" + example.name, &type, in_dtype(type.decl, example, DType::f64, true)});
  }
  return cases;
}

Tensor random_tensor(const std::string& seed_text, DType dtype, const Dims& dims, double lo, double hi) {
  std::vector<double> values(static_cast<size_t>(element_count(dims)));
  const uint32_t stream = stream_of(seed_text);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = lo + (hi - lo) * static_cast<double>(uniform01(philox_block(1, stream, 0, i / 4)[i % 4]));
  if (dtype == DType::boolean)
    for (double& v : values) v = v >= (lo + hi) / 2;
  else if (!info(dtype).is_float)
    for (double& v : values) v = std::floor(v);
  return Tensor::from_f64(dtype, dims, values);
}

std::vector<Val> LoweredCase::tensor_outputs() const {
  std::vector<Val> values;
  for (const auto& output : outputs)
    if (const Val* value = std::get_if<Val>(&output)) values.push_back(*value);
  return values;
}

LoweredCase lower_case(const NodeCase& c, bool training) {
  LoweredCase lowered;
  lowered.builder = std::make_unique<OpBuilder>(*lowered.program);
  OpBuilder& b = *lowered.builder;
  b.set_training(training);
  b.set_node("node");
  ShapeArgs::In types;
  LowerArgs::In args;
  for (const ExampleInput& input : c.example.inputs) {
    const SocketDecl* socket = c.type->decl.find_input(input.socket);
    if (socket && socket->kind != Kind::tensor) {
      types[input.socket] = {.kind = socket->kind};
      if (socket->kind == Kind::mesh) args[input.socket] = textured_mesh();
      if (socket->kind == Kind::image) args[input.socket] = test_picture();
      if (socket->kind != Kind::dataset) continue;
      types[input.socket].shape = Shape{{"C", 1, ""}, {"H", 4, ""}, {"W", 4, ""}};
      args[input.socket] = test_dataset();
      continue;
    }
    const std::string port = "in." + input.socket;
    Shape shape;
    for (size_t i = 0; i < input.dims.size(); ++i)
      shape.push_back({input.axes.empty() ? "" : input.axes[i], input.dims[i], ""});
    types[input.socket] = {.dtype = input.dtype, .shape = shape};
    const Val value = b.input(port, input.dtype, input.dims, input.axes);
    args[input.socket] = value;
    lowered.input_values.push_back(value);
    // The seed text has no dtype: all variants of an example see the same numbers, up to rounding.
    const std::string seed = c.type->id + c.example.name + input.socket;
    lowered.inputs.emplace_back(port, random_tensor(seed, input.dtype, input.dims, input.lo, input.hi));
  }
  TestAssets assets;
  const Params params(c.type->decl, c.example.params);
  lowered.shapes = c.type->shape(ShapeArgs(params, types));
  if (lowered.shapes) lowered.outputs = c.type->lower(b, LowerArgs(params, args, assets));
  return lowered;
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
  Program& program = *lowered.program;
  for (const Val v : keep) program.outputs.push_back({"kept." + std::to_string(program.outputs.size()), v.id});
  RunningCase running;
  HW_TRY(running.device, make_device(device));
  HW_TRY(running.states, running.device->prepare_states(program, nullptr, 7, nullptr));
  for (const Param& param : program.params) {
    if (!param.trainable) continue;  // running statistics: a variance is positive
    const Value& master = program[param.master];
    const double bound = bound_of(param.init);
    const Tensor values = random_tensor(param.name, master.dtype, master.dims, -bound, bound);
    HW_CHECK(running.states->write(master.name, values));
    if (param.view != param.master)
      HW_CHECK(running.states->write(program[param.view].name, values.to(program[param.view].dtype)));
  }
  HW_TRY(running.executable, running.device->compile(lowered.program, running.states));
  for (const auto& [port, tensor] : lowered.inputs) HW_CHECK(running.executable->write_input(port, tensor));
  return running;
}

}  // namespace hw::test
