#include "engine/node/lower_example.h"

#include <algorithm>
#include <cmath>

#include "engine/core/philox.h"
#include "engine/node/example_assets.h"
#include "engine/node/random_params.h"

namespace hw {
namespace {

bool admits(const DTypeRule& rule, DType dtype) {
  const bool follows = rule.kind == DTypeRule::Kind::group || rule.kind == DTypeRule::Kind::parameter;
  return follows && (rule.dtypes.empty() || std::ranges::find(rule.dtypes, dtype) != rule.dtypes.end());
}

double bound_of(const Init& init) {
  return init.kind == Init::Kind::uniform && init.a >= 0.01 ? init.a : 1;
}

}  // namespace

Example example_in_dtype(const NodeType& type, Example example, DType dtype, bool all) {
  const Declaration declared = type.declared(example.params);
  const std::string text(name(dtype));
  for (const ParamDecl& param : declared->params()) {
    const bool allowed = std::ranges::find(param.choices, text) != param.choices.end();
    if (param.type == ParamDecl::Type::dtype && allowed) example.params[param.id] = text;
  }
  for (ExampleInput& input : example.inputs) {
    if (!info(input.dtype).is_float) continue;  // labels, conditions
    const SocketDecl* socket = declared->find_input(input.socket);
    if (socket && socket->kind == Kind::tensor && (all || admits(socket->dtype, dtype))) input.dtype = dtype;
  }
  return example;
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

Val example_value(OpBuilder& b, const ExampleInput& input, DType dtype, const std::string& port,
                  const LowerArgs::In& before) {
  if (input.made_of) return b.cast(input.made_of(b, before), dtype);
  return b.input(port, dtype, input.dims, input.axes);
}

std::vector<Val> LoweredExample::tensor_outputs() const {
  std::vector<Val> values;
  for (const auto& output : outputs)
    if (const Val* value = std::get_if<Val>(&output)) values.push_back(*value);
  return values;
}

LoweredExample lower_example(const NodeType& type, const Example& example, bool training) {
  LoweredExample lowered;
  lowered.builder = std::make_unique<OpBuilder>(*lowered.program);
  OpBuilder& b = *lowered.builder;
  b.set_training(training);
  b.set_node("node");
  ShapeArgs::In types;
  LowerArgs::In args;
  const Declaration declared = type.declared(example.params);
  for (const ExampleInput& input : example.inputs) {
    const SocketDecl* socket = declared->find_input(input.socket);
    if (socket && socket->kind != Kind::tensor) {
      types[input.socket] = {.kind = socket->kind};
      if (socket->kind == Kind::mesh) args[input.socket] = example_mesh();
      if (socket->kind == Kind::image) args[input.socket] = example_picture();
      if (socket->kind != Kind::dataset) continue;
      const bool is_text = input.dims.size() == 1;  // its sample sizes; else pictures
      types[input.socket].shape =
          is_text ? Shape{{"C", input.dims[0], ""}} : Shape{{"C", 1, ""}, {"H", 4, ""}, {"W", 4, ""}};
      args[input.socket] = is_text ? example_text(input.dims[0]) : example_dataset();
      continue;
    }
    const std::string port = "in." + input.socket;
    Shape shape;
    for (size_t i = 0; i < input.dims.size(); ++i)
      shape.push_back({input.axes.empty() ? "" : input.axes[i], input.dims[i], ""});
    types[input.socket] = {.dtype = input.dtype, .shape = shape};
    const Val value = example_value(b, input, input.dtype, port, args);
    args[input.socket] = value;
    if (input.made_of) continue;
    lowered.input_values.push_back(value);
    // The seed text has no dtype: all variants of an example see the same numbers, up to rounding.
    const std::string seed = type.id + example.name + input.socket;
    lowered.inputs.emplace_back(port, random_tensor(seed, input.dtype, input.dims, input.lo, input.hi));
  }
  ExampleAssets assets;
  const Params params(*declared, example.params);
  set_random(b, random_params(*declared, example.params, "node"));
  lowered.shapes = type.shape(ShapeArgs(params, types));
  if (lowered.shapes) lowered.outputs = type.lower(b, LowerArgs(params, args, assets));
  return lowered;
}

std::map<std::string, Tensor> example_states(const Program& program) {
  std::map<std::string, Tensor> states;
  for (const Param& param : program.params) {
    if (!param.trainable) continue;  // running statistics: a variance is positive
    const Value &master = program[param.master], &view = program[param.view];
    const double bound = bound_of(param.init);
    const Tensor values = random_tensor(param.name, master.dtype, master.dims, -bound, bound);
    states[master.name] = values;
    if (param.view != param.master) states[view.name] = values.to(view.dtype);
  }
  return states;
}

}  // namespace hw
