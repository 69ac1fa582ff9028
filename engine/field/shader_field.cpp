#include "engine/field/shader_field.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/shader/body_reader.h"

namespace hw {
namespace {

constexpr int64_t kPoints = 1009;  // a size that no other axis has

Error not_a_field(const SocketRef& wire, const std::string& why, const std::string& remedy) {
  return {codes::not_a_field, wire.node + "." + wire.socket, why, remedy};
}

// Zeros at kPoints points in the place of each wire.
Result<GivenValues> given_points(const Graph& graph, std::span<const SocketRef> wires, Assets& assets,
                                 const std::shared_ptr<Device>& device) {
  GivenValues given;
  if (wires.empty()) return given;
  HW_TRY(const Evaluation shown, Evaluation::make(graph, wires, assets, device));
  for (size_t i = 0; i < wires.size(); ++i) {
    const Value& value = shown.value(i);
    if (value.dims.size() != 2)
      return not_a_field(wires[i], "the wire " + to_string(value.dims) + " has no value for each point.",
                         "Name a wire of shape [N, C].");
    given[wires[i]] = Tensor::zeros(value.dtype, {kPoints, value.dims[1]});
  }
  return given;
}

}  // namespace

Result<ShaderField> ShaderField::make(const Graph& graph, const SocketRef& wire, std::span<const SocketRef> points,
                                      Assets& assets, std::shared_ptr<Device> device) {
  EvaluationOptions options;
  options.passes_off = every_pass();
  for (const char* variable : {"position", "normal", "uv", "pixel", "x"}) options.domains[variable] = kPoints;
  HW_TRY(options.given, given_points(graph, points, assets, device));
  auto program = Evaluation::make(graph, std::span(&wire, 1), assets, std::move(device), options);
  if (!program) {
    Error error = program.error();
    if (error.reason.find(std::to_string(kPoints)) != std::string::npos)
      error.reason += " (" + std::to_string(kPoints) + " stands for any number of points.)";
    if (!points.empty() && error.remedy.empty())
      error.remedy = "Other wires with a value for each point are variables, too.";
    return error;
  }
  for (const SocketRef& point : points)
    if (!program->depends_on(point))
      return not_a_field(point, "the wire that is exported does not depend on it.", "Leave it out.");
  if (program->program().inputs.empty())
    return not_a_field(wire, "it does not depend on where a point lies.", "Name a wire that depends on a position.");
  HW_TRY(const shader::Bodies* const bodies, shader::all_bodies());
  const ValueId result = program->program().outputs[0].value;
  std::vector<std::string> names;
  for (const SocketRef& point : points) names.push_back(point.node + "." + point.socket);
  HW_TRY(shader::FieldShader shader, shader::field_shader(program->program(), result, kPoints, *bodies, names));
  std::vector<ValueId> keep;
  for (const shader::GivenTensor& given : shader.given) keep.push_back(given.value);
  program->keep(std::move(keep));
  return ShaderField(std::move(*program), std::move(shader));
}

std::vector<std::string> ShaderField::drawn_once() const {
  std::vector<std::string> nodes;
  for (const Instr& instr : program_.program().instrs) {
    const std::string& node = program_.program().nodes[instr.node];
    if (instr.in.empty() && std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  return nodes;
}

Result<std::vector<uint32_t>> ShaderField::weights(const Weights* weights, uint64_t seed, Lacking lacking) {
  HW_CHECK(program_.set_weights(weights, seed, lacking));
  for (const Port& input : program_.program().inputs) {
    const Value& value = program_.program()[input.value];
    HW_CHECK(program_.write_input(input.name, Tensor::zeros(value.dtype, value.dims)));
  }
  HW_CHECK(program_.run());
  std::vector<Tensor> tensors;
  for (const shader::GivenTensor& given : shader_.given) {
    HW_TRY(Tensor tensor, program_.read_kept(given.value));
    tensors.push_back(std::move(tensor));
  }
  return shader::field_weights(shader_, tensors);
}

}  // namespace hw
